package job

import (
	"context"
	"fmt"
	"strings"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// Decide gives the open job of a task its import, after the manifest of the import is stored. Of
// several decisions and refusals of a generation the first wins: the record tells which.
func (j *Jobs) Decide(ctx context.Context, t Task, id string, manifest []byte) (Record, error) {
	if err := state.CheckDigest("import", id); err != nil {
		return Record{}, err
	}
	if _, err := objects.PutOnce(ctx, j.store, state.ManifestKey(t.Owner, id), manifest); err != nil {
		return Record{}, fmt.Errorf("put manifest of import %s: %w", id, err)
	}
	return j.swap(ctx, t.Ref, t.Gen, func(r *Record) bool {
		if r.Import != "" || r.assemblesOnly(t.Ref) {
			return false
		}
		r.Import = id
		return true
	})
}

// Failure is the content of a failed object. Reason and Hint are shown and logged: no personal
// text.
type Failure struct {
	V      int         `json:"v"`
	Class  fault.Class `json:"class"`
	Reason string      `json:"reason"`
	Hint   string      `json:"hint,omitempty"`
	// Detail is the full text of the error if Reason is not. It may name a person's files, so it is
	// for the receipt of the owner only.
	Detail   string `json:"detail,omitempty"`
	Attempts int    `json:"attempts"`
	// Reading names who was asked to read a drop, and by which rules and limits, if the drop was
	// refused for its content. The same reading would refuse it again.
	Reading string `json:"reading,omitempty"`
}

// FailureOf describes the error of the last attempt of a unit.
func FailureOf(err error, attempts int) Failure {
	hint := fault.HintOf(err)
	withoutHint := func(text string) string { return strings.TrimSuffix(text, ": "+hint) }
	f := Failure{Class: fault.Of(err), Hint: hint, Detail: withoutHint(err.Error()), Attempts: attempts}
	f.Reason, _, _ = strings.Cut(withoutHint(fault.Loggable(err)), "\n") // what follows is a stack
	if f.Detail == f.Reason {
		f.Detail = ""
	}
	return f
}

// IsWrongUpload tells that a drop was refused for what is in it: it is no export, or empty, or
// encrypted. That is a result for its owner, and nothing that an operator could repair.
func (f Failure) IsWrongUpload() bool { return f.Reading != "" }

// Fail gives a unit up in its generation: for good, or after its last attempt. The failed object is
// written once. The failure of an ingest also refuses the drop, unless the job has an import. After
// the failure of an assembly, call Accept again: the failed generation enters the input set, too.
func (j *Jobs) Fail(ctx context.Context, t Task, f Failure) error {
	f.V = 1
	key := state.FailedKey(t.Owner, t.Drop, t.Gen, t.Unit())
	if _, err := objects.PutOnceJSON(ctx, j.store, key, f); err != nil {
		return fmt.Errorf("put failed object: %w", err)
	}
	if t.Kind != Ingest {
		return nil
	}
	return j.refuse(ctx, t)
}

// refuse ends an open job without import whose ingest has a failed object.
func (j *Jobs) refuse(ctx context.Context, t Task) error {
	r, err := j.swap(ctx, t.Ref, t.Gen, func(r *Record) bool {
		if r.Import != "" {
			return false
		}
		r.State, r.Outcome = Ended, Refused
		return true
	})
	if err != nil {
		return fmt.Errorf("refuse job %s: %w", t.Drop, err)
	}
	return j.tidy(ctx, t.Ref, t.Gen, r)
}
