package pipeline

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// What of an import may go from work/, and when. Storage alone decides:
//
//   - Nothing that was written within the sweep age goes, and nothing while a request for the drop is open; where it is not known
//     which drop it was, while the owner has any.
//   - Of the import that the store has of its drop, and that has no receipt yet, everything stays: the receipt is made of it.
//   - The markers of an import that ended without some of its shards, or was given up while it was assembled, stay while the
//     store has no other result of the drop: whoever heals it need not extract the other shards again.
//   - Everything else goes: it is of an import that ended, or whose place another one took before it ended.
//
// What is looked at is read in the order in which work ends (the receipt, then the request), so that an import that ends meanwhile is
// seen as one or the other. Who asks for the drop at the very moment may lose markers that it would have found: Reconcile queues their
// shards. A worker that is late writes its marker once more, and a later pass removes that, too. Under owners/ nothing goes: packs
// and candidates of an import that never ended are what the same request would go on from, if it is made again.

// ownersWork is what of one owner lies under work/, by the keys alone.
type ownersWork struct {
	owner   string
	open    bool // there are requests
	folders []workFolder
}

// workFolder is one folder of it.
type workFolder struct {
	name   string
	newest time.Time
	noted  bool // there is more than markers
}

// add takes an object into account that is no request. Of the folders before, those that are due are kept in mind.
func (o *ownersWork) Add(rest string, written time.Time, due func(*ownersWork, workFolder) bool) {
	name, inner, _ := strings.Cut(rest, "/")
	marker, note := isMarker(inner), isNote(inner)
	if !marker && !note {
		return // nothing of ours
	}
	if n := len(o.folders); n == 0 || o.folders[n-1].name != name {
		if n > 0 && !due(o, o.folders[n-1]) {
			o.folders = o.folders[:n-1]
		}
		if len(o.folders) == sweepMost {
			return
		}
		o.folders = append(o.folders, workFolder{name: name})
	}
	f := &o.folders[len(o.folders)-1]
	f.noted = f.noted || note
	if written.After(f.newest) {
		f.newest = written
	}
}

// isNote tells whether a key below work/<owner>/<import>/ is that of a note which an import leaves for itself.
func isNote(inner string) bool {
	return inner == "change.json" || inner == noteName || strings.HasPrefix(inner, "publish-")
}

func isMarker(inner string) bool {
	name, ok := strings.CutPrefix(inner, "markers/")
	return ok && strings.HasSuffix(name, ".json") && !strings.Contains(name, "/")
}

// sweepOwner removes what may go of one owner.
func (p *sweepPass) sweepOwner(ctx context.Context, o *ownersWork) error {
	if o == nil {
		return nil
	}
	result := p.resultsOf(ctx, o.owner)
	for _, f := range o.folders {
		if !p.due(o, f) {
			continue
		}
		notes, markers, err := p.mayGo(ctx, o, f, result)
		switch {
		case fault.Of(err) == fault.Permanent:
			p.bad = append(p.bad, err)
			continue
		case err != nil:
			return err
		}
		if err := p.clear(ctx, state.WorkKey(o.owner, f.name, ""), notes, markers); err != nil {
			return err
		}
	}
	return nil
}

// due tells whether a folder is looked at in this pass: one of old markers alone, or of an owner who has requests, is in one of
// sweepTurns.
func (p *sweepPass) due(o *ownersWork, f workFolder) bool {
	return p.old(f.newest) && (f.noted && !o.open || isTurn(o.owner+"/"+f.name, p.sweepPassAt(p.clock)))
}

// mayGo tells what of a folder may go.
func (p *sweepPass) mayGo(ctx context.Context, o *ownersWork, f workFolder, result func(drop string) (string, error)) (notes, markers bool, err error) {
	if len(f.name) != state.ImportIDLength || state.CheckHex("import", f.name) != nil {
		return !o.open, false, nil // of a change by hand, which is no import
	}
	r, ended, err := state.ReadReceipt(ctx, p.Store, o.owner, f.name)
	if err != nil {
		return false, false, err
	}
	drop := r.Drop
	if !ended {
		if drop, err = p.dropOf(ctx, o.owner, f.name); err != nil {
			return false, false, err
		}
	}
	if drop == "" {
		return !o.open, !o.open, nil // it was given up before it had been read
	}
	if open, err := openAsks(ctx, p.Store, o.owner, drop); err != nil || len(open) > 0 {
		return false, false, err
	}
	if ended && r.State != state.StateFailed && len(r.Extraction.Failed) == 0 {
		return true, true, nil
	}
	id, err := result(drop)
	if err != nil {
		return false, false, err
	}
	return ended || id != f.name, id != f.name && (id != "" || !ended), nil
}

// dropOf gives the drop of an import that has no receipt, by its note or its manifest; "" if it has neither.
func (p *sweepPass) dropOf(ctx context.Context, owner, id string) (string, error) {
	var note importNote
	if _, err := state.ReadJSON(ctx, p.Store, state.WorkKey(owner, id, noteName), &note); err == nil {
		return note.Drop, nil
	} else if !state.IsMissing(err) && fault.Of(err) != fault.Permanent {
		return "", err
	}
	m, _, err := state.ReadManifest(ctx, p.Store, owner, id)
	return m.Drop, err
}

// resultsOf gives the import that the owner's store has of a drop, "" for none. The input set is read when it is first asked for.
func (p *sweepPass) resultsOf(ctx context.Context, owner string) func(drop string) (string, error) {
	var inputs *state.Inputs
	return func(drop string) (string, error) {
		if inputs == nil {
			head, _, err := state.ReadHead(ctx, p.Store, owner)
			if err != nil {
				return "", err
			}
			in, err := state.ReadInputs(ctx, p.Store, owner, head)
			if err != nil {
				return "", err
			}
			inputs = &in
		}
		return inputs.Drops[drop], nil
	}
}

// clear removes the notes, or the markers, of a folder, but what was written since it was listed.
func (p *sweepPass) clear(ctx context.Context, folder string, notes, markers bool) error {
	if !notes && !markers {
		return nil
	}
	for o, err := range p.Store.List(ctx, folder) {
		if err != nil {
			return fmt.Errorf("list what was left behind: %w", err)
		}
		inner := strings.TrimPrefix(o.Key, folder)
		if (!notes || !isNote(inner)) && (!markers || !isMarker(inner)) {
			continue
		}
		if !p.old(o.ModTime) {
			continue
		}
		if err := p.remove(ctx, o.Key); err != nil {
			return err
		}
	}
	return nil
}
