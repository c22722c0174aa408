package pipeline

import (
	"context"
	"slices"

	"github.com/pamline/pamline/pipeline/state"
)

// askLike records a request like r, but of a name of its own, for what is tried again: from it a lost message is made again.
// It takes the place of those that same says want what r does, in the words of the newest; ok is false, and nothing is done,
// when the newest open request for the drop wants something else.
func askLike(ctx context.Context, d Deps, r state.Request, same func(state.Request) (bool, error)) (_ state.Request, ok bool, err error) {
	before, open, err := requestOf(ctx, d.Store, r.Owner, r.Drop)
	if err != nil {
		return r, false, err
	}
	if open {
		if ok, err := same(before); err != nil || !ok {
			return r, false, err
		}
		r = before
	}
	r.Ask = d.NewID()
	if err := r.Record(ctx, d.Store); err != nil {
		return r, false, err
	}
	all, err := openAsks(ctx, d.Store, r.Owner, r.Drop)
	if err != nil || len(all) == 0 {
		return r, true, err // ended by the work that is under way; insist asks again
	}
	newest, err := supersede(ctx, d.Store, all)
	if err != nil || newest.key == state.AskKey(r.Owner, r.Drop, r.Ask) {
		for _, o := range all[:len(all)-1] {
			r.Over = append(r.Over, o.key)
		}
		return r, true, err
	}
	after, open, err := stillOpen(ctx, d.Store, newest)
	if err != nil || !open {
		return r, true, err
	}
	ok, err = same(after)
	return r, ok, err
}

// askForImport is askLike for the import of a unit. What asks for that is the request that its message came from, one of an
// earlier redrive, or one that comes to this import; of an import that was not read to its end the latter cannot be told for sure.
func (l *Letters) askForImport(ctx context.Context, t state.ExtractTask, m state.Manifest) (state.Request, bool, error) {
	r := state.Request{V: state.MessageVersion, Owner: t.Owner, Drop: t.Drop, Extractors: t.Extractors, Lane: t.Lane}
	if len(m.Importers) == 1 {
		r.Importer = m.Importers[0] // of several there is no pin: the drop may then be read by newer ones, and is whole as well
	}
	return askLike(ctx, l.Deps, r, func(open state.Request) (bool, error) {
		switch {
		case open.Name() == t.Ask, open.Words() == r.Words():
			return true, nil
		case m.Reading == "":
			return l.Deps.ingest().MayRead(t.Import, t.Importers, open)
		}
		return l.Deps.ingest().ComesTo(m, open)
	})
}

// askAnew asks, and then undoes what says that a unit of an import has failed. After that a request for the unit is open. ok is
// false when the drop is wanted in another way, be it since, or has got another result than that before.
func (l *Letters) askAnew(ctx context.Context, m state.Manifest, before string, ask func() (state.Request, bool, error), undo func(state.Request) error) (r state.Request, ok bool, err error) {
	if r, ok, err = askUnlessReplaced(ctx, l.Deps, m, before, ask); err != nil || !ok {
		return r, false, err
	}
	return insist(ctx, l.Deps, m, r, undo, ask)
}

// takeBackFor takes back a shard for a request, and all that failed if the request took the place of another that has not: what that
// one was to try is tried for this one.
func (l *Letters) takeBackFor(ctx context.Context, r state.Request, m state.Manifest, shard string) (whole bool, err error) {
	receipt, ended, err := state.ReadReceipt(ctx, l.Store, m.Owner, m.Import)
	if err != nil {
		return false, err
	}
	if shard != "" {
		if err := takeBack(ctx, l.Store, m.Owner, m.Import, shard); err != nil {
			return false, err
		}
	}
	begun := state.AskKey(r.Owner, r.Drop, receipt.Reopened)
	if ended && slices.ContainsFunc(r.Over, func(key string) bool { return receipt.Ended() || key != begun }) {
		return takeAllBack(ctx, l.Store, m, r.Name())
	}
	return reopen(ctx, l.Store, m.Owner, m.Import, r.Name())
}

// goOn queues what an import needs that was asked for again, and asks for it to be assembled if that is nothing; whole: it has
// ended well meanwhile, and only the request is to be ended. One that was not read to its end needs nothing: whoever reads it
// finds what is missing.
func (l *Letters) goOn(ctx context.Context, m state.Manifest, ask string, whole bool) error {
	w := &Worker{Deps: l.Deps, js: l.js, window: shardWindow}
	if m.Drop == "" {
		return nil
	}
	o := &offering{w: w, ask: ask}
	for _, s := range m.Shards {
		if err := o.offer(ctx, m, s); err != nil {
			return err
		}
	}
	return w.converge(ctx, m, ask, "", whole)
}
