package work

import (
	"context"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
)

// record, and what follows, reads the store behind the back of the processes.
func (r *rig) record(ref job.Ref) job.Record {
	r.t.Helper()
	rec, err := job.New(r.data, job.Options{}).Read(context.Background(), ref)
	if err != nil {
		r.t.Fatal(err)
	}
	return rec
}

func (r *rig) head(owner string) (state.Head, state.Inputs) {
	r.t.Helper()
	head, _, err := state.ReadHead(context.Background(), r.data, owner)
	if err != nil {
		r.t.Fatal(err)
	}
	in, err := state.ReadInputs(context.Background(), r.data, owner, head)
	if err != nil {
		r.t.Fatal(err)
	}
	return head, in
}

func (r *rig) receipt(ref job.Ref, gen int) state.Receipt {
	r.t.Helper()
	rec, ok, err := state.ReadReceipt(context.Background(), r.data, ref.Owner, ref.Drop, gen)
	if err != nil || !ok {
		r.t.Fatalf("receipt of %s.%d: %v, %v", ref.Drop, gen, ok, err)
	}
	return rec
}

func (r *rig) deadLetters() (letters []job.DeadLetter) {
	r.t.Helper()
	for l, err := range job.New(r.data, job.Options{}).DeadLetters(context.Background(), job.Filter{WrongUploads: true}) {
		if err != nil {
			r.t.Fatal(err)
		}
		letters = append(letters, l)
	}
	return letters
}

// bodies are the objects with a prefix.
func (r *rig) bodies(prefix string) map[string]string {
	all := map[string]string{}
	for _, key := range r.store.Keys(prefix) {
		all[key], _ = r.store.Body(key)
	}
	return all
}
