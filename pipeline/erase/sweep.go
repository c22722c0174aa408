package erase

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// eraseEdits puts an empty edit in the place of those that name or make what is erased, and of
// those that name a memory which the store has not any more.
func (e *sweeper) eraseEdits(ctx context.Context) error {
	head, _, err := state.ReadHead(ctx, e.Store, e.owner)
	if err != nil {
		return err
	}
	in, err := state.ReadInputs(ctx, e.Store, e.owner, head)
	if err != nil {
		return err
	}
	edits := 0 // those that nobody has asked for yet included
	for _, err := range e.Store.List(ctx, state.OwnerKey(e.owner, "edits/")) {
		if err != nil {
			return err
		}
		edits++
	}
	if edits == 0 {
		return nil
	}
	ref := job.Ref{Owner: e.owner, Drop: state.OwnerJob}
	r, err := e.jobs.Read(ctx, ref)
	if err != nil {
		return err
	}
	memories := map[string]bool{}
	for m, err := range publish.ExportMemories(ctx, e.Store, e.owner, head) {
		if err != nil {
			return err
		}
		memories[m.Id] = true
	}
	changed := r.State == job.Open
	for n := 1; n <= edits; n++ {
		key := state.EditKey(e.owner, n)
		var edit assemble.Edit
		sum, err := objects.ReadJSONOf(ctx, e.Store, key, "", &edit)
		if err != nil {
			return objects.Lost(key, err)
		}
		if edit.Action == assemble.EditErased {
			changed = changed || in.Contents[state.OwnerJob].Results[strconv.Itoa(n)] != sum
			continue
		}
		if !e.isOfErasedMemory(edit) && (edit.Memory == "" || memories[edit.Memory]) {
			continue
		}
		changed = true
		e.receipt.Rewritten["edits"]++
		if err := objects.PutJSON(ctx, e.Store, key, assemble.Edit{ID: assemble.EditErased, At: edit.At, Action: assemble.EditErased}); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	// The cache has copies of edits.
	if err := e.removeObject(ctx, "caches", state.OwnerKey(e.owner, "cache.zst")); err != nil {
		return err
	}
	asked, err := e.Worker.Ask(ctx, ref, job.Want{Edits: edits})
	if err != nil {
		return err
	}
	r, err = e.Worker.Wait(ctx, ref, asked.Gen)
	if err == nil && r.Outcome != job.Done {
		err = fault.Permanentf("`pamline dlq list` says why; repeat the command afterwards", "compute the store without the erased edits: the assembly has failed")
	}
	return err
}

func (e *eraser) removeObject(ctx context.Context, kind, key string) error {
	there, err := objects.Exists(ctx, e.Store, key)
	if err != nil || !there {
		return err
	}
	e.receipt.Removed[kind]++
	return e.Store.Delete(ctx, key)
}

func (e *eraser) removePrefix(ctx context.Context, kind, prefix string) error {
	var keys []string
	for o, err := range e.Store.List(ctx, prefix) {
		if err != nil {
			return err
		}
		keys = append(keys, o.Key)
	}
	for _, key := range keys {
		if err := e.removeObject(ctx, kind, key); err != nil {
			return err
		}
	}
	return nil
}

// isAffected tells whether something of a drop was erased.
func (e *sweeper) isAffected(ctx context.Context, in state.Inputs, drop string) (bool, error) {
	entry := in.Drops[drop]
	if entry.Import == "" {
		return e.ledger.Has(ledger.Drop, drop) || !entry.Failed, nil
	}
	m, ok, err := state.ReadManifest(ctx, e.Store, e.owner, entry.Import)
	return ok && m.Counts.Skips[ledger.CodeErased].Count > 0, err
}

// affected gives the drops that something was erased of.
func (e *sweeper) affected(ctx context.Context) (drops []string, in state.Inputs, err error) {
	head, _, err := state.ReadHead(ctx, e.Store, e.owner)
	if err != nil {
		return nil, in, err
	}
	if in, err = state.ReadInputs(ctx, e.Store, e.owner, head); err != nil {
		return nil, in, err
	}
	for drop := range in.Drops {
		if drop == state.OwnerJob {
			continue
		}
		yes, err := e.isAffected(ctx, in, drop)
		if err != nil {
			return nil, in, err
		}
		if yes {
			drops = append(drops, drop)
		}
	}
	stored, err := e.storedDrops(ctx)
	for _, drop := range stored { // one that was refused is in no input set
		if e.ledger.Has(ledger.Drop, drop) {
			drops = append(drops, drop)
		}
	}
	slices.Sort(drops)
	return slices.Compact(drops), in, err
}

// storedDrops gives the drops whose records are in the inbox of the owner.
func (e *eraser) storedDrops(ctx context.Context) (drops []string, err error) {
	for o, err := range e.Store.List(ctx, state.InboxPrefix(e.owner)) {
		if err != nil {
			return nil, err
		}
		drop, isRecord := strings.CutSuffix(strings.TrimPrefix(o.Key, state.InboxPrefix(e.owner)), "/drop.json")
		if isRecord && state.CheckDigest("drop", drop) == nil {
			drops = append(drops, drop)
		}
	}
	return drops, nil
}

// removeArchives removes the archives that hold what was erased, and what tells of them by name.
func (e *sweeper) removeArchives(ctx context.Context) error {
	drops, in, err := e.affected(ctx)
	if err != nil {
		return err
	}
	for _, drop := range drops {
		if e.KeepOriginals && in.Drops[drop].Import != "" {
			e.receipt.KeptOriginals++
			continue
		}
		rec, err := state.ReadDrop(ctx, e.Store, e.owner, drop)
		if err == nil {
			e.receipt.LostReplays++
			for _, p := range rec.Parts {
				for _, at := range append([]state.DropPart{p}, p.Also...) {
					if err := e.removePart(ctx, at); err != nil {
						return err
					}
				}
			}
		}
		if err := e.removePrefix(ctx, "archives", state.DropKey(e.owner, drop, "")); err != nil {
			return err
		}
	}
	return e.removeUploads(ctx, drops)
}

// removePart removes an archive where a person has put it.
func (e *sweeper) removePart(ctx context.Context, p state.DropPart) error {
	keys := []string{p.Key}
	for _, f := range p.Files {
		keys = append(keys, f.Key)
	}
	for _, key := range keys {
		if strings.HasSuffix(key, "/") || !strings.HasPrefix(key, state.InboxRoot) {
			continue
		}
		if err := e.removeObject(ctx, "archives", key); err != nil {
			return err
		}
	}
	return nil
}

// removeUploads removes the records of what lay in the inbox of the owner and became one of the
// drops: they have names of files.
func (e *sweeper) removeUploads(ctx context.Context, drops []string) error {
	for o, err := range e.Store.List(ctx, state.TakenRoot+e.owner+"/") {
		if err != nil {
			return err
		}
		var r struct {
			V      int    `json:"v"`
			Key    string `json:"key"`
			Drop   string `json:"drop"`
			Reason string `json:"reason"`
			Hint   string `json:"hint"`
			Failed bool   `json:"failed"`
			At     string `json:"at"`
		}
		if _, err := objects.ReadJSON(ctx, e.Store, o.Key, &r); err != nil {
			return objects.Lost(o.Key, err)
		}
		there, err := objects.Exists(ctx, e.Store, r.Key)
		if err != nil {
			return err
		}
		if slices.Contains(drops, r.Drop) && !there {
			if err := e.removeObject(ctx, "records of uploads", o.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

// cleanReports removes the receipts of earlier generations of the drops that something was erased
// of, and from all others the ids of memories, which follow from their text.
func (e *sweeper) cleanReports(ctx context.Context) error {
	drops, in, err := e.affected(ctx)
	if err != nil {
		return err
	}
	for _, drop := range drops {
		for gen := 1; gen < in.Drops[drop].Gen; gen++ {
			if err := e.removeObject(ctx, "receipts", state.ReceiptKey(e.owner, drop, gen)); err != nil {
				return err
			}
		}
		if err := e.removePrefix(ctx, "failed work", state.FailedPrefix(e.owner, drop, 0)); err != nil {
			return err
		}
	}
	for o, err := range e.Store.List(ctx, state.OwnerKey(e.owner, "receipts/")) {
		if err != nil {
			return err
		}
		var r state.Receipt
		if _, err := objects.ReadJSON(ctx, e.Store, o.Key, &r); err != nil {
			return objects.Lost(o.Key, err)
		}
		if !e.cleanReceipt(&r, slices.Contains(drops, r.Drop)) {
			continue
		}
		e.receipt.Rewritten["receipts"]++
		if err := objects.PutJSON(ctx, e.Store, o.Key, r); err != nil {
			return err
		}
	}
	for o, err := range e.Store.List(ctx, state.OwnerKey(e.owner, "exports/")) {
		if err != nil {
			return err
		}
		if strings.HasSuffix(o.Key, ".change.json") {
			if err := e.removeObject(ctx, "figures of exports", o.Key); err != nil {
				return err
			}
		}
	}
	return e.removeObject(ctx, "caches", state.OwnerKey(e.owner, "cache.zst"))
}

// cleanReceipt removes what follows from the text of memories, and the conversations that were
// erased; of an affected drop, names of files, too. changed is false if a receipt has none of them.
func (e *sweeper) cleanReceipt(r *state.Receipt, affected bool) (changed bool) {
	isNamed := slices.ContainsFunc(r.Parts, func(p state.Part) bool { return p.Name != ledger.NameErased })
	if affected && (isNamed || len(r.Refused)+len(r.Unread)+len(r.Notes) > 0) {
		r.Parts, r.Refused, r.Unread, r.Notes, changed = ledger.BlankParts(r.Parts), nil, nil, nil, true
	}
	if c := r.Store.Changes; c != nil && len(c.Listed) > 0 {
		c.Listed, changed = nil, true
	}
	if im := r.Store.Import; im != nil {
		n := len(im.Listed)
		im.Listed = slices.DeleteFunc(im.Listed, func(c assemble.ConversationChange) bool { return e.ledger.Has(ledger.Conversation, c.Conversation) })
		changed = changed || len(im.Listed) < n
	}
	if len(r.Quarantined) > 0 { // nobody knows of which conversation an unreadable element is
		r.Quarantined, changed = nil, true
	}
	return changed
}

// removeServiceAnswers removes what models have answered: an answer quotes what it was asked about,
// and may stand for several conversations.
func (e *sweeper) removeServiceAnswers(ctx context.Context) error {
	return e.removePrefix(ctx, "answers of services", state.OwnerKey(e.owner, "answers/"))
}
