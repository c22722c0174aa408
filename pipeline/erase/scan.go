package erase

import (
	"cmp"
	"context"
	"slices"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
)

// importsOf gives, by drop, the imports of an input set, that of the entry last, and those that job
// records name beside it.
func (e *eraser) importsOf(ctx context.Context, in state.Inputs) (map[string][]string, error) {
	all := map[string][]string{}
	for drop, entry := range in.Drops {
		if entry.Import != "" {
			all[drop] = append(slices.Clone(in.Past[drop]), entry.Import)
		}
	}
	for o, err := range state.ListJobs(ctx, e.Store, e.owner, "") {
		if err != nil {
			return nil, err
		}
		r, err := e.jobs.Read(ctx, job.Ref{Owner: e.owner, Drop: o.Drop})
		if err != nil {
			return nil, err
		}
		if r.State == job.Open && (r.Want.Erase || r.Want.Purge) && all[o.Drop] == nil {
			all[o.Drop] = []string{} // an interrupted erasure
		}
		if r.Import != "" && !slices.Contains(all[o.Drop], r.Import) {
			all[o.Drop] = append([]string{r.Import}, all[o.Drop]...)
		}
	}
	return all, nil
}

// element is a conversation or a record of an import.
type element struct {
	state.SnapshotLine
	file   string         // the member that it was read from
	record extract.Record // of a record
	doc    []byte         // valid until the next element
}

// text is what a record is known by in the ledger.
func (e element) text() string { return cmp.Or(e.record.Text, string(e.record.Raw)) }

func (e element) at() string { return cmp.Or(e.record.UpdatedAt, e.record.CreatedAt) }

// eachElement calls f for each conversation and record of a shard, with its document if withDocs;
// records have theirs always.
func (e *eraser) eachElement(ctx context.Context, list *state.PackList, m state.Manifest, withDocs bool, f func(element) error) error {
	var pack *state.PackReader
	for line, err := range list.Lines {
		if err != nil {
			return err
		}
		one := element{SnapshotLine: line, file: list.Files[line.Source]}
		if withDocs || line.Record != "" {
			if pack == nil {
				if pack, err = state.OpenPack(ctx, e.Store, state.PackKey(m.Owner, m.Import, list.Pack)); err != nil {
					return err
				}
				defer pack.Close()
			}
			if one.doc, err = pack.Next(line.Offset, line.Length, line.Size); err != nil {
				return pack.Finish(err)
			}
			if line.Record != "" {
				if one.record, err = extract.ParseRecord(one.doc); err != nil {
					return pack.Finish(err)
				}
			}
		}
		if err := f(one); err != nil {
			return err
		}
	}
	if pack != nil && withDocs {
		return pack.Finish(nil)
	}
	return nil
}

// eachOf calls f for each conversation and record of an import. An import without manifest has
// none.
func (e *eraser) eachOf(ctx context.Context, id string, f func(state.Manifest, element) error) error {
	m, ok, err := state.ReadManifest(ctx, e.Store, e.owner, id)
	if err != nil || !ok {
		return err
	}
	for _, shard := range m.Shards {
		if shard.IsEmpty() {
			continue
		}
		list, err := state.OpenShardList(ctx, e.Store, m, shard)
		if err != nil {
			return err
		}
		if err := e.eachElement(ctx, list, m, false, func(one element) error { return f(m, one) }); err != nil {
			return err
		}
	}
	return nil
}

// isErased tells whether the ledger has an element.
func (e *eraser) isErased(one element) bool {
	if one.Record != "" {
		return e.ledger.HasRecord(one.text(), one.at()) || e.ledger.HasElement(one.record.Kind, one.record.Raw, one.record.CreatedAt)
	}
	return e.ledger.HasConversation(one.Conversation, one.CreatedAt)
}
