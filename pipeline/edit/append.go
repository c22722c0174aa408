package edit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/gate"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// ErrNoContent is returned for an edit that makes a memory and has no readable text for it.
var ErrNoContent = errors.New("the memory has no text, or one that is not UTF-8: give the words of the memory")

// Append records an edit behind the others of an owner, and gives its number. The memory that the
// edit makes is marked like those of extractors: sensitive ones are. Append does not look at the
// store: see Resolve. To repeat an Append whose answer was lost is safe while no other edit came
// in between.
func Append(ctx context.Context, s blob.Store, owner string, e assemble.Edit) (n int, err error) {
	if err := state.CheckOwner(owner); err != nil {
		return 0, err
	}
	if e, err = finishEdit(e); err != nil {
		return 0, err
	}
	// The owner's job wants all edits but the newest, at most.
	var r job.Record
	if _, err := objects.ReadJSON(ctx, s, state.JobKey(owner, state.OwnerJob), &r); err != nil && !objects.IsMissing(err) {
		return 0, err
	}
	if r.Want.Edits > 0 {
		key := state.EditKey(owner, r.Want.Edits)
		switch there, err := objects.Exists(ctx, s, key); {
		case err != nil:
			return 0, err
		case !there: // its number must not be given again
			return 0, fault.Permanentf(objects.UnusableHint(key), "record edit: the edit before it, %s, is missing", key)
		}
	}
	for n = r.Want.Edits; ; n++ {
		if n == 0 {
			continue
		}
		body, err := objects.EncodeSealed(state.EditKey(owner, n), e)
		if err != nil {
			return 0, err
		}
		written, err := objects.PutOnce(ctx, s, state.EditKey(owner, n), body)
		if err != nil {
			return 0, fmt.Errorf("put edit %d: %w", n, err)
		}
		if written {
			return n, nil
		}
		stored, _, err := blob.ReadAll(ctx, s, state.EditKey(owner, n), maxEdit)
		if err != nil && !errors.Is(err, blob.ErrTooLarge) {
			return 0, fmt.Errorf("read edit %d: %w", n, err)
		}
		if err == nil && bytes.Equal(stored, body) {
			return n, nil // written by an earlier call
		}
	}
}

// maxEdit is the size of an edit that is compared with another one.
const maxEdit = 1 << 20

// makesMemory tells whether an edit has a memory of its own.
func makesMemory(e assemble.Edit) bool {
	return e.Action == assemble.EditAdd || e.Action == assemble.EditReplace
}

// finishEdit checks the memory that an edit makes, and marks it.
func finishEdit(e assemble.Edit) (assemble.Edit, error) {
	if !makesMemory(e) {
		return e, nil
	}
	if !utf8.ValidString(e.Content) || pamio.NormalizeContent(e.Content) == "" {
		return e, fmt.Errorf("record edit: %w", ErrNoContent)
	}
	marked := []normalize.Candidate{{Type: e.Type, CustomType: e.CustomType, Content: e.Content}}
	extract.Finish(marked)
	e.Sensitive = cmp.Or(marked[0].Sensitive, gate.Private(e.Content))
	return e, nil
}
