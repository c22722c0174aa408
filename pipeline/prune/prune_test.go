package prune_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/check"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/prune"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

const owner = stagetest.Owner

// grown gives a rig with a store that three drops, one growing out of the other, have made.
func grown(t *testing.T) *stagetest.Rig {
	t.Helper()
	r := stagetest.New(t)
	for n := range 3 {
		importTalks(t, r, n+2)
	}
	return r
}

func importTalks(t *testing.T, r *stagetest.Rig, talks int) {
	t.Helper()
	if rec, _, err := r.Import(t.Context(), r.PutDrop(t, stagetest.TalksZip(t, talks))); err != nil || rec.Outcome != job.Done {
		t.Fatal(rec, err)
	}
	r.Verify(t)
}

func optionsOn(s blob.Store, rules prune.Rules) prune.Options {
	ids := 0
	return prune.Options{Store: stagetest.Seal(s), Rules: rules, NewID: func() string { ids++; return fmt.Sprintf("prune-%d", ids) },
		Now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }}
}

func pruneOwner(t *testing.T, s blob.Store, rules prune.Rules) prune.Report {
	t.Helper()
	r, err := prune.Owner(t.Context(), optionsOn(s, rules), owner)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkSound fails the test if a check of the store finds damage.
func checkSound(t *testing.T, r *stagetest.Rig) {
	t.Helper()
	report, err := check.CheckOwner(t.Context(), check.Options{Store: stagetest.Seal(r.Data), Log: zap.NewNop()}, owner)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range report.Damage {
		t.Errorf("%s: %s (%s)", d.Object, d.Problem, d.Consequence)
	}
}

func exportsOf(s *statetest.Store) (n int) {
	for _, key := range s.Keys(state.OwnerKey(owner, "exports/")) {
		if strings.HasSuffix(key, ".fold.zst") {
			n++
		}
	}
	return n
}

func TestAPruneLeavesWhatTheCurrentStoreNames(t *testing.T) {
	t.Parallel()
	r := grown(t)
	for _, key := range []string{"exports/0-lost.json", "conversations/0.0123456789abcdef.json", "imports/" + strings.Repeat("ab", 16) + "/snapshots/000000.jsonl"} {
		put(t, r.Data, state.OwnerKey(owner, key), "left by a lost race")
	}
	put(t, r.Data, state.OwnerKey(owner, "notes.txt"), "not ours")
	before := r.Data.Clone()
	planned, err := prune.Plan(t.Context(), optionsOn(r.Data, prune.Rules{}), owner)
	if err != nil || r.Data.Sum() != before.Sum() {
		t.Fatalf("a plan has changed the store, or failed: %v", err)
	}
	done := pruneOwner(t, r.Data, prune.Rules{})
	if fmt.Sprint(planned.Removed) != fmt.Sprint(done.Removed) || done.Exports != 1 || done.Busy {
		t.Errorf("planned %+v, done %+v", planned, done)
	}
	if n := exportsOf(r.Data); n != 1 {
		t.Errorf("%d exports are left", n)
	}
	for _, key := range r.Data.Keys("") {
		if body, _ := r.Data.Body(key); strings.Contains(body, "lost race") {
			t.Errorf("%s is left", key)
		}
	}
	if _, ok := r.Data.Body(state.OwnerKey(owner, "notes.txt")); !ok {
		t.Error("an object that pamline did not write was removed")
	}
	checkSound(t, r)
	r.Verify(t)
	sum := r.Data.Sum()
	if again := pruneOwner(t, r.Data, prune.Rules{}); again.Total().Objects > 0 || r.Data.Sum() != sum {
		t.Errorf("a second prune has removed %+v", again)
	}
}

func put(t *testing.T, s blob.Store, key, body string) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, strings.NewReader(body), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestAsManyExportsAreKeptAsTheRulesSay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rules prune.Rules
		age   time.Duration // of what is there
		want  int
	}{
		{prune.Rules{}, 0, 1}, {prune.Rules{Exports: 2}, 0, 2}, {prune.Rules{Exports: 9}, 0, 3},
		{prune.Rules{Exports: 1, For: time.Hour}, time.Minute, 3}, {prune.Rules{Exports: 2, For: time.Hour}, 2 * time.Hour, 2},
	} {
		r := grown(t)
		o := optionsOn(r.Data, c.rules)
		o.Now = func() time.Time { return r.Data.Now().Add(c.age) }
		if _, err := prune.Owner(t.Context(), o, owner); err != nil {
			t.Fatal(err)
		}
		if n := exportsOf(r.Data); n != c.want {
			t.Errorf("%+v: %d exports are left, want %d", c.rules, n, c.want)
		}
		checkSound(t, r)
	}
}

func TestAServiceSparesSomeReplacedExportsForThoseWhoRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		exports, spare int
		age            time.Duration // of what is there
		want           int
	}{
		{1, 1, time.Minute, 2}, {1, 1, 2 * time.Hour, 1}, {1, 0, time.Minute, 1}, {2, 1, time.Minute, 3}, {1, 9, time.Minute, 3},
	} {
		r := grown(t)
		o := optionsOn(r.Data, prune.Rules{Exports: c.exports})
		o.Grace, o.Spare, o.Now = time.Hour, c.spare, func() time.Time { return r.Data.Now().Add(c.age) }
		if _, err := prune.Owner(t.Context(), o, owner); err != nil {
			t.Fatal(err)
		}
		if n := exportsOf(r.Data); n != c.want {
			t.Errorf("%+v: %d exports are left", c, n)
		}
		checkSound(t, r)
	}
}

// A prune dies at any of its writes. What follows, another import and another prune, ends in the
// same store as without it.
func TestAPruneThatIsKilledAtAnyWriteHarmsNothing(t *testing.T) {
	t.Parallel()
	whole := grown(t)
	pruneOwner(t, whole.Data, prune.Rules{})
	importTalks(t, whole, 6)
	pruneOwner(t, whole.Data, prune.Rules{})
	want := len(whole.Data.Keys("owners/"))
	base := grown(t)
	for n := 0; ; n += 3 {
		r := base.Damaged(base.Data.Clone())
		before, reached := statetest.CrashAtWrite(n)
		_, err := prune.Owner(t.Context(), optionsOn(r.Data.View(before, nil), prune.Rules{}), owner)
		if reached() && !errors.Is(err, statetest.ErrCrashed) {
			t.Fatalf("killed at write %d: %v", n, err)
		}
		checkSound(t, r)
		r.Data.Advance(time.Minute)
		importTalks(t, r, 6)
		checkSound(t, r)
		pruneOwner(t, r.Data, prune.Rules{})
		checkSound(t, r)
		if got := len(r.Data.Keys("owners/")); got > want+2 { // a head more for a prune more
			t.Errorf("killed at write %d: %d objects are left, want %d", n, got, want)
		}
		if !reached() {
			return
		}
	}
}

func TestAPruneBesideAnImportRemovesNothing(t *testing.T) {
	t.Parallel()
	r := grown(t)
	ref := job.Ref{Owner: owner, Drop: r.PutDrop(t, stagetest.TalksZip(t, 7))}
	if _, err := r.Jobs.Ask(context.Background(), ref, job.Want{}); err != nil {
		t.Fatal(err)
	}
	exports := exportsOf(r.Data)
	if report := pruneOwner(t, r.Data, prune.Rules{}); !report.Busy || report.Total().Objects > 0 || exportsOf(r.Data) != exports {
		t.Errorf("%+v", report)
	}
}

// readAt lets something happen before a read of a store, counted from 0.
type readAt struct {
	blob.Store
	n      int
	happen func()
}

func (s *readAt) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	if s.n--; s.n == -1 {
		s.happen()
	}
	return s.Store.Get(ctx, key, r)
}

// Whatever a prune is about to read, another one may have removed it: both end well.
func TestAPruneMayFindWhatAnotherHasRemoved(t *testing.T) {
	t.Parallel()
	base := grown(t)
	for n := 0; ; n++ {
		r := base.Damaged(base.Data.Clone())
		s := &readAt{Store: stagetest.Seal(r.Data), n: n, happen: func() { pruneOwner(t, r.Data, prune.Rules{}) }}
		o := optionsOn(r.Data, prune.Rules{})
		o.Store = s
		if _, err := prune.Owner(t.Context(), o, owner); err != nil {
			t.Fatalf("another prune before read %d: %v", n, err)
		}
		checkSound(t, r)
		if exports := exportsOf(r.Data); exports != 1 {
			t.Fatalf("another prune before read %d: %d exports are left", n, exports)
		}
		if s.n >= 0 {
			return
		}
	}
}
