package pipeline

import (
	"context"
	"errors"
	"testing"
)

func TestAReadingThatEndsEarlyGivesItsShareOfTheBudgetBack(t *testing.T) {
	budget := unitBudget(1)
	a, b := share{of: budget}, share{of: budget}
	for range 3 {
		if err := a.acquire(t.Context(), inFlight/4); err != nil {
			t.Fatal(err)
		}
	}
	a.release(inFlight / 4)
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.acquire(stopped, inFlight); !errors.Is(err, context.Canceled) {
		t.Fatalf("there was room for everything while another reading had half of it: %v", err)
	}
	a.releaseAll()
	if !budget.TryAcquire(inFlight) {
		t.Error("the budget is not whole again")
	}
	b.releaseAll() // it has nothing
	if budget.TryAcquire(1) {
		t.Error("a share gave back what it did not have")
	}
}
