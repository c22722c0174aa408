package pipeline

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// assembler runs the assemble stage until the test ends.
func (r *rig) assembler(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	r.done.Go(func() {
		if err := r.consumeAssemble(ctx); err != nil {
			t.Error(err)
		}
	})
}

// extracted gives n imports of an owner that wait to be assembled.
func extracted(t *testing.T, d Deps, owner string, n int) (tasks []AssembleTask) {
	t.Helper()
	for i := range n {
		text := strings.ReplaceAll(manyConversations(1), `"c-`, fmt.Sprintf(`"d%d-`, i))
		_, task := ingested(t, d, owner, zipOf(t, map[string]string{"conversations.json": text}))
		tasks = append(tasks, task)
	}
	return tasks
}

func (r *rig) ends(t *testing.T, owner string, tasks []AssembleTask) (done, failed int) {
	t.Helper()
	eventually(t, func() bool {
		done, failed = 0, 0
		for _, task := range tasks {
			receipt, ok, err := state.ReadReceipt(t.Context(), r.Store, owner, task.Import)
			switch {
			case err != nil:
				t.Fatal(err)
			case ok && receipt.State == state.StateDone:
				done++
			case ok:
				failed++
			}
		}
		return done+failed == len(tasks)
	})
	return done, failed
}

func countKeys(t *testing.T, s blob.Store, prefix, suffix string) (n int) {
	t.Helper()
	for o, err := range s.List(t.Context(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(o.Key, suffix) {
			n++
		}
	}
	return n
}

func TestImportsThatEndTogetherAreAssembledTogether(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tasks := extracted(t, r.Deps, "me", 25)
	for _, task := range tasks {
		if err := r.publish(t.Context(), task); err != nil {
			t.Fatal(err)
		}
	}
	r.assembler(t)
	if done, failed := r.ends(t, "me", tasks); done != len(tasks) {
		t.Errorf("%d done, %d failed", done, failed)
	}
	if n := countKeys(t, r.Store, "owners/me/exports/", ".fold.zst"); n > 2 {
		t.Errorf("%d exports for %d imports that waited together", n, len(tasks))
	}
}

func TestABadImportDoesNotFailItsNeighbours(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tasks := extracted(t, r.Deps, "me", 6)
	bad := tasks[2]
	if _, err := r.Store.Put(t.Context(), state.PackListKey("me", bad.Import, 0), strings.NewReader("damaged"), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		if err := r.publish(t.Context(), task); err != nil {
			t.Fatal(err)
		}
	}
	r.assembler(t)
	done, failed := r.ends(t, "me", tasks)
	if done != len(tasks)-1 || failed != 1 {
		t.Errorf("%d done, %d failed", done, failed)
	}
	if l := r.letters(t); len(l) != 1 || l[0].Import != bad.Import {
		t.Errorf("letters %+v", l)
	}
}

// neighbour is another owner of the same partition.
func neighbour(owner string) string {
	for i := 0; ; i++ {
		if other := fmt.Sprintf("other%d", i); Partition(other) == Partition(owner) {
			return other
		}
	}
}

func TestOwnersOfAPartitionGoRound(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	var mu sync.Mutex
	var order []string
	d.Observe = func(e telemetry.Event) {
		if e.Stage == telemetry.StageDone {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, e.Owner)
		}
	}
	r := newRigOf(t, d)
	many := extracted(t, r.Deps, "me", 9)
	other := neighbour("me")
	one := extracted(t, r.Deps, other, 1)
	for _, task := range append(many, one...) {
		if err := r.publish(t.Context(), task); err != nil {
			t.Fatal(err)
		}
	}
	r.assembler(t)
	r.ends(t, other, one)
	r.ends(t, "me", many)
	mu.Lock()
	defer mu.Unlock()
	at := 0
	for i, o := range order {
		if o == other {
			at = i
		}
	}
	if at > 1 { // the first message may have come alone
		t.Errorf("it was its turn after %d imports of another: %v", at, order)
	}
}

var races = flag.Int("races", 60, "how often two assemblers race for one owner")

// Two workers assemble for one owner at the same moment, over and over: each time both updates are in the store.
func TestTwoAssemblersRaceAndNoUpdateIsLost(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	other := d
	other.Limits.MaxDepth = 100 // gives every drop a second import
	var drops [2][2]AssembleTask
	for i := range drops {
		text := strings.ReplaceAll(manyConversations(1), `"c-`, fmt.Sprintf(`"d%d-`, i))
		file := zipOf(t, map[string]string{"conversations.json": text})
		_, drops[i][0] = ingested(t, d, "me", file)
		_, drops[i][1] = ingested(t, other, "me", file)
	}
	for round := range *races {
		want := map[string]string{}
		var wg sync.WaitGroup
		for i := range drops {
			task := drops[i][(round+i)%2]
			r := state.Request{V: 1, Owner: "me", Drop: task.Drop, Lane: state.LaneSmall, Importer: fmt.Sprint(round)}
			if err := state.PutJSON(t.Context(), d.Store, state.RequestKey("me", task.Drop), r); err != nil {
				t.Fatal(err)
			}
			task.Again, task.Ask = true, r.Name()
			want[task.Drop] = task.Import
			wg.Go(func() {
				if _, err := Assemble(t.Context(), d, "me", []AssembleTask{task}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		head, _, err := state.ReadHead(t.Context(), d.Store, "me")
		if err != nil {
			t.Fatal(err)
		}
		in, err := state.ReadInputs(t.Context(), d.Store, "me", head)
		if err != nil {
			t.Fatal(err)
		}
		for drop, id := range want {
			if in.Drops[drop] != id {
				t.Fatalf("round %d: the update of drop %s is lost", round, drop)
			}
		}
	}
}

// A message that asked for an import once more is delivered again, after the drop was asked for otherwise and that ended.
func TestLateMessageOfARequestThatHasEndedUndoesNothing(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	other := d
	other.Limits.MaxDepth = 100
	file := zipOf(t, map[string]string{"conversations.json": manyConversations(2)})
	_, a := ingested(t, d, "me", file)
	_, b := ingested(t, other, "me", file)
	ask := func(pin string, task AssembleTask) AssembleTask {
		t.Helper()
		r := state.Request{V: 1, Owner: "me", Drop: task.Drop, Lane: state.LaneSmall, Importer: pin}
		if err := state.PutJSON(t.Context(), d.Store, state.RequestKey("me", task.Drop), r); err != nil {
			t.Fatal(err)
		}
		task.Ask = r.Name()
		if _, err := Assemble(t.Context(), d, "me", []AssembleTask{task}); err != nil {
			t.Fatal(err)
		}
		return task
	}
	ask("a", a)
	ask("b", b)
	a.Again = true
	late := ask("a", a)
	b.Again = true
	ask("b", b)
	if _, err := Assemble(t.Context(), d, "me", []AssembleTask{late}); err != nil {
		t.Fatal(err)
	}
	head, _, err := state.ReadHead(t.Context(), d.Store, "me")
	if err != nil {
		t.Fatal(err)
	}
	in, err := state.ReadInputs(t.Context(), d.Store, "me", head)
	if err != nil || in.Drops[a.Drop] != b.Import {
		t.Errorf("the store is made of import %s, want %s (%v)", in.Drops[a.Drop], b.Import, err)
	}
}
