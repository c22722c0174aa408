package storage

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pamline/pamline/blob"
)

// race lets writers meet: a server that looks first and writes then keeps its word to one writer at
// a time, and not to two.
func (c *checker) race(ctx context.Context) {
	c.try("let one of eight writers of the same new object win", needConditions, func() error {
		return blob.ProbeConditions(ctx, c.s, c.prefix+"race-")
	})
	c.try("let one of eight writers replace the same object", needConditions, func() error {
		for round := range 3 {
			if err := c.raceSwap(ctx, fmt.Sprintf("swap-%d", round)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *checker) raceSwap(ctx context.Context, key string) error {
	const writers = 8
	old, err := c.put(ctx, key, "old", blob.PutOptions{})
	if err != nil {
		return err
	}
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() { _, errs[i] = c.put(ctx, key, fmt.Sprint("writer ", i), blob.PutOptions{IfMatch: old.ETag}) })
	}
	wg.Wait()
	winner, won := 0, 0
	for i, err := range errs {
		switch {
		case err == nil:
			winner, won = i, won+1
		case !errors.Is(err, blob.ErrPrecondition):
			return err
		}
	}
	if won != 1 {
		return fmt.Errorf("%d of %d writers at the same time were told that they replaced the object", won, writers)
	}
	text, err := c.read(ctx, key, blob.Range{})
	if err == nil && text != fmt.Sprint("writer ", winner) {
		err = fmt.Errorf("the object holds %q, and writer %d was told that it won", text, winner)
	}
	return err
}
