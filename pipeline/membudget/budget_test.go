package membudget

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
)

// mib is for weights of units.
const mib = 1 << 20

// testBudget has 48 MiB for small units and 100 for large ones.
func testBudget() *Budget { return NewBudget(1, baseMemory+48*mib+100*mib, 1<<30) }

// Whole checks that nothing is held any more.
func (b *Budget) Whole(t *testing.T) {
	t.Helper()
	if !b.lock.TryAcquire(1) || !b.large.of.TryAcquire(b.large.size) || !b.small.of.TryAcquire(b.small.size) {
		t.Error("the budget is not whole again")
	}
}

// admission is one that has begun.
type admission struct {
	b    *Budget
	got  Reservation
	err  error
	done bool
}

func (b *Budget) begin(ctx context.Context, weight int64) *admission {
	w := &admission{b: b}
	go func() {
		w.got, w.err = b.Reserve(ctx, weight)
		w.done = true
	}()
	synctest.Wait()
	return w
}

func (w *admission) end(t *testing.T) {
	t.Helper()
	if !w.done || w.err != nil {
		t.Fatalf("it was not admitted (%v)", w.err)
	}
	w.b.Release(w.got)
	synctest.Wait()
}

func TestLargeUnitsThatDoNotFitTogetherWaitForEachOtherWhileSmallOnesGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := testBudget()
		first, second, third := b.begin(t.Context(), 60*mib), b.begin(t.Context(), 60*mib), b.begin(t.Context(), 30*mib)
		if !first.done || second.done || third.done {
			t.Fatalf("admitted: %v, %v, %v; the first alone was expected, and the others in their order", first.done, second.done, third.done)
		}
		for range 10 {
			b.begin(t.Context(), 20*mib).end(t)
		}
		first.end(t)
		if !second.done || !third.done {
			t.Fatalf("admitted: %v, %v; both fit now", second.done, third.done)
		}
		second.end(t)
		third.end(t)
		b.Whole(t)
	})
}

func TestAUnitLargerThanTheWholeBudgetGoesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := testBudget()
		before := b.begin(t.Context(), 20*mib)
		giant := b.begin(t.Context(), 5000*mib)
		if giant.done {
			t.Fatal("it was admitted beside another")
		}
		before.end(t)
		small, large := b.begin(t.Context(), mib), b.begin(t.Context(), 30*mib)
		if !giant.done || small.done || large.done {
			t.Fatalf("admitted: %v, beside it %v and %v; it alone was expected", giant.done, small.done, large.done)
		}
		giant.end(t)
		small.end(t)
		large.end(t)
		b.Whole(t)
	})
}

func TestAUnitThatIsALittleTooLargeLeavesRoomForSmallOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := testBudget()
		large := b.begin(t.Context(), 120*mib)
		b.begin(t.Context(), 24*mib).end(t)
		large.end(t)
		b.Whole(t)
	})
}

func TestWhoeverStopsWaitingHasNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := testBudget()
		ctx, cancel := context.WithCancel(t.Context())
		small, first := b.begin(t.Context(), 20*mib), b.begin(t.Context(), 60*mib)
		giant, behind := b.begin(ctx, 5000*mib), b.begin(ctx, 30*mib)
		first.end(t) // the giant has all of the large part now, and waits for the small one
		cancel()
		synctest.Wait()
		if !errors.Is(giant.err, context.Canceled) || !errors.Is(behind.err, context.Canceled) {
			t.Errorf("they ended with %v and %v", giant.err, behind.err)
		}
		small.end(t)
		b.Whole(t)
	})
}

func TestUnitsThatGrowWhileTheyAreCutDoNotWaitForEachOtherForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := testBudget()
		cut := func(size int64) <-chan error {
			ended := make(chan error, 1)
			go func() {
				s := Share{Of: b}
				g := Growing{Share: &s, Limit: 1 << 30}
				for n := int64(mib); n <= size; n += mib {
					if err := g.Hold(t.Context(), n); err != nil {
						ended <- err
						return
					}
					runtime.Gosched()
				}
				got, err := g.Reserve(t.Context(), sourceWeight*size)
				if err == nil {
					s.Release(got)
				}
				ended <- err
			}()
			return ended
		}
		var all []<-chan error
		for _, size := range []int64{3 * mib, 12 * mib, 12 * mib, 300 * mib, 2 * mib, 40 * mib} {
			all = append(all, cut(size))
		}
		for _, ended := range all {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		b.Whole(t)
	})
}

func TestAUnitThatIsLetGoOfWhileItIsCutGivesItsMemoryBack(t *testing.T) {
	b := testBudget()
	s := Share{Of: b}
	g := Growing{Share: &s, Limit: 64 * mib}
	for _, n := range []int64{10 * mib, 64 * mib, 200 * mib} { // beyond the limit it is only passed over
		if err := g.Hold(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Hold(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	b.Whole(t)
}

func TestAReadingThatEndsEarlyGivesItsShareOfTheBudgetBack(t *testing.T) {
	b := testBudget()
	s := Share{Of: b}
	g := Growing{Share: &s, Limit: 64 * mib}
	for _, weight := range []int64{mib, 40 * mib} {
		if _, err := g.Reserve(t.Context(), weight); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Hold(t.Context(), 5*mib); err != nil {
		t.Fatal(err)
	}
	g.Release()
	s.ReleaseAll()
	b.Whole(t)
}
