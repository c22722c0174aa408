package pipeline

import "context"

// ask records a request like r, but of a name of its own, for a unit that is redriven: from it a lost message is made again.
// It takes the place of those that same says want what r does, in the words of the newest; ok is false, and nothing is done,
// when the newest open request for the drop wants something else.
func (l *Letters) ask(ctx context.Context, r Request, same func(Request) (bool, error)) (_ Request, ok bool, err error) {
	before, open, err := requestOf(ctx, l.Store, r.Owner, r.Drop)
	if err != nil {
		return r, false, err
	}
	if open {
		if ok, err := same(before); err != nil || !ok {
			return r, false, err
		}
		r = before
	}
	r.Ask = l.NewID()
	if err := r.record(ctx, l.Store); err != nil {
		return r, false, err
	}
	all, err := openAsks(ctx, l.Store, r.Owner, r.Drop)
	if err != nil || len(all) == 0 {
		return r, true, err // ended by the work that is under way; askAnew asks again
	}
	newest, err := supersede(ctx, l.Store, all)
	if err != nil || newest.key == askKey(r.Owner, r.Drop, r.Ask) {
		return r, true, err
	}
	after, open, err := stillOpen(ctx, l.Store, newest)
	if err != nil || !open {
		return r, true, err
	}
	ok, err = same(after)
	return r, ok, err
}

// askForImport is ask for the import of a unit. What asks for that is the request that its message came from, one of an
// earlier redrive, or one that comes to this import; of an import that was not read to its end the latter cannot be told for sure.
func (l *Letters) askForImport(ctx context.Context, t ExtractTask, m Manifest) (Request, bool, error) {
	r := Request{V: MessageVersion, Owner: t.Owner, Drop: t.Drop, Extractors: t.Extractors, Lane: t.Lane}
	if len(m.Importers) == 1 {
		r.Importer = m.Importers[0] // of several there is no pin: the drop may then be read by newer ones, and is whole as well
	}
	return l.ask(ctx, r, func(open Request) (bool, error) {
		switch {
		case open.ask() == t.Ask, open.words() == r.words():
			return true, nil
		case m.Reading == "":
			return l.mayRead(t.Import, t.Importers, open)
		}
		return l.comesTo(m, open)
	})
}

// askAnew asks, and then removes what says that the unit has failed. After that a request for the unit is open: where the work for
// another one that wants the same has looked before and ended both, it asks once more. ok is false when the drop is wanted in
// another way, be it since.
func (l *Letters) askAnew(ctx context.Context, ask func() (Request, bool, error), keys ...string) (r Request, ok bool, err error) {
	if r, ok, err = ask(); err != nil || !ok {
		return r, false, err
	}
	for _, key := range keys {
		if err := l.Store.Delete(ctx, key); err != nil {
			return r, false, err
		}
	}
	if open, err := asked(ctx, l.Store, r.Owner, r.Drop, r.Ask); err != nil || open {
		return r, open, err
	}
	return ask()
}
