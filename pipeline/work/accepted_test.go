package work

import (
	"testing"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
)

// isDone asks whether a worker would do nothing for a drop.
func isDone(t *testing.T, p *process, ref job.Ref, want job.Want) bool {
	t.Helper()
	done, err := p.worker.DoneBefore(t.Context(), ref, want)
	if err != nil {
		t.Error(err)
	}
	return done
}

func TestADropThatWouldBeReadAsBeforeIsDone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ref := r.drop("ann", talks("a", 2, likes))
	p := r.start()
	if isDone(t, p, ref, job.Want{}) {
		t.Error("what was never asked for is called done")
	}
	p.ask(ref, job.Want{})
	if isDone(t, p, ref, job.Want{}) {
		t.Error("what is open is called done")
	}
	p.run()
	p.wait(ref, 1)
	if !isDone(t, p, ref, job.Want{}) {
		t.Error("what was imported is not called done")
	}
	for name, want := range map[string]job.Want{
		"an erasure": {Erase: true}, "another importer": {Importer: "claude"}, "other extractors": {Extractors: []string{"harvest"}},
	} {
		if isDone(t, p, ref, want) {
			t.Errorf("%s is called done", name)
		}
	}
	r.limits.MaxConversation *= 2
	if isDone(t, r.start(), ref, job.Want{}) {
		t.Error("a reading with other limits is called done")
	}
}

func TestADropWithAShardMissingIsNotDone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.askModel(&stagetest.Model{})
	ref := r.drop("ann", talks("a", 2, likes))
	p := r.start()
	p.run()
	p.importDrop(ref)
	if receipt := r.receipt(ref, 1); receipt.State != state.StateLosses || isDone(t, p, ref, job.Want{}) {
		t.Errorf("%s is called done", receipt.State)
	}
}
