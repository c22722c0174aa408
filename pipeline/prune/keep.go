package prune

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// kept is what the kept heads and the job records of an owner name.
type kept struct {
	store blob.Store
	owner string
	// names has the keys of heads, input sets, conversations and assets; imports and exports have
	// ids.
	names, imports, exports map[string]bool
}

// loggedHead is a head with the time at which the next one replaced it; zero: none has.
type loggedHead struct {
	state.Head
	key      string
	replaced time.Time
}

// readLog gives the heads of the log, the newest first.
func readLog(ctx context.Context, s blob.Store, owner string) ([]loggedHead, error) {
	var log []loggedHead
	for o, err := range s.List(ctx, state.OwnerKey(owner, "heads/")) {
		if err != nil {
			return nil, fmt.Errorf("list heads of %s: %w", owner, err)
		}
		h := loggedHead{key: o.Key}
		if _, err := objects.ReadJSON(ctx, s, o.Key, &h.Head); err != nil {
			return nil, objects.Lost(o.Key, err)
		}
		if len(log) > 0 {
			log[len(log)-1].replaced = o.ModTime
		}
		log = append(log, h)
	}
	slices.Reverse(log)
	return log, nil
}

// keepHeads notes what is kept, from the heads on. current is the head of now.
func (k *kept) keepHeads(ctx context.Context, current state.Head, o Options) error {
	log, err := readLog(ctx, k.store, k.owner)
	if err != nil {
		return err
	}
	k.names[state.HeadLogKey(k.owner, current.Sequence)] = true
	if err := k.keepHead(ctx, current); err != nil {
		return err
	}
	spared := 0
	for _, h := range log {
		isNew := h.ExportID != "" && !k.exports[h.ExportID]
		if h.Sequence >= current.Sequence || !isNew {
			continue
		}
		age := o.Now().Sub(h.replaced)
		switch {
		case len(k.exports) < max(1, o.Exports), o.For > 0 && age < o.For:
		case age < o.Grace && spared < o.Spare:
			spared++
		default:
			continue
		}
		k.names[h.key] = true
		if err := k.keepHead(ctx, h.Head); err != nil {
			return err
		}
	}
	return nil
}

// keepHead notes everything that a head names.
func (k *kept) keepHead(ctx context.Context, h state.Head) error {
	if h.Inputs != "" {
		k.names[state.InputsKey(k.owner, h.Inputs)] = true
		in, err := state.ReadInputs(ctx, k.store, k.owner, h)
		if err != nil {
			return err
		}
		for _, digest := range in.Buckets() {
			k.names[state.InputsKey(k.owner, digest)] = true
		}
		for drop, e := range in.Drops {
			for _, id := range append(slices.Clone(in.Past[drop]), e.Import) {
				if err := k.keepImport(ctx, id); err != nil {
					return err
				}
			}
		}
	}
	if h.ExportID == "" || k.exports[h.ExportID] {
		return nil
	}
	k.exports[h.ExportID] = true
	rc, err := publish.OpenExport(ctx, k.store, k.owner, h)
	if err != nil {
		return err
	}
	defer rc.Close()
	return rc.Finish(pamio.ReadStore(rc, pamio.Visitor{IndexEntry: func(e pamio.Element) error {
		entry, err := pamio.ParseIndexEntry(e.Raw)
		if err == nil && entry.Storage != nil {
			k.names[state.OwnerKey(k.owner, entry.Storage.Ref)] = true
		}
		return err
	}}))
}

// keepImport notes an import with its assets.
func (k *kept) keepImport(ctx context.Context, id string) error {
	if id == "" || k.imports[id] {
		return nil
	}
	k.imports[id] = true
	m, ok, err := state.ReadManifest(ctx, k.store, k.owner, id)
	if err != nil || !ok {
		return err
	}
	for ref, err := range state.AssetRefs(ctx, k.store, m) {
		if err != nil {
			return err
		}
		k.names[state.AssetKey(k.owner, ref)] = true
	}
	return nil
}

// keepJobs notes the imports of the job records: their failed parts can be tried again.
func (k *kept) keepJobs(ctx context.Context, jobs *job.Jobs) error {
	for o, err := range state.ListJobs(ctx, k.store, k.owner, "") {
		if err != nil {
			return err
		}
		r, err := jobs.Read(ctx, job.Ref{Owner: k.owner, Drop: o.Drop})
		if err != nil {
			return err
		}
		if err := k.keepImport(ctx, r.Import); err != nil {
			return err
		}
	}
	return nil
}
