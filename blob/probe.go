package blob

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// ErrConditions: a store does not keep its word about conditional writes. Several writers on it
// lose updates.
var ErrConditions = errors.New("conditional writes do not work")

// ProbeConditions tries on the live store whether conditional writes hold: eight writers at once of
// which one must win IfAbsent, a swap with the right tag, swaps with an old tag and on a missing
// object. It uses the keys prefix + "absent" and prefix + "swap" and removes them; nobody else may
// use them meanwhile. A failed promise wraps [ErrConditions].
func ProbeConditions(ctx context.Context, s Store, prefix string) (err error) {
	absent, swap := prefix+"absent", prefix+"swap"
	remove := func() error { return errors.Join(s.Delete(ctx, absent), s.Delete(ctx, swap)) }
	if err := remove(); err != nil {
		return fmt.Errorf("probe conditional writes: %w", err)
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := probeAbsent(ctx, s, absent); err != nil {
		return fmt.Errorf("probe conditional writes: %w", err)
	}
	if err := probeSwap(ctx, s, swap); err != nil {
		return fmt.Errorf("probe conditional writes: %w", err)
	}
	return nil
}

func probeAbsent(ctx context.Context, s Store, key string) error {
	const writers = 8
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			_, errs[i] = s.Put(ctx, key, strings.NewReader(fmt.Sprint("probe ", i)), PutOptions{IfAbsent: true})
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, ErrPrecondition):
			return err
		}
	}
	if won != 1 {
		return fmt.Errorf("%w: %d of %d racing writers of an absent object were told that they wrote it", ErrConditions, won, writers)
	}
	return nil
}

func probeSwap(ctx context.Context, s Store, key string) error {
	put := func(content, tag string) (Object, error) {
		return s.Put(ctx, key, strings.NewReader(content), PutOptions{IfMatch: tag})
	}
	first, err := put("first", "")
	if err != nil {
		return err
	}
	switch _, err := put("second", first.ETag); {
	case errors.Is(err, ErrPrecondition):
		return fmt.Errorf("%w: a swap with the right tag was refused", ErrConditions)
	case err != nil:
		return err
	}
	switch _, err := put("third", first.ETag); {
	case err == nil:
		return fmt.Errorf("%w: a swap with an old tag was done", ErrConditions)
	case !errors.Is(err, ErrPrecondition):
		return err
	}
	if err := s.Delete(ctx, key); err != nil {
		return err
	}
	switch _, err := put("fourth", first.ETag); {
	case err == nil:
		return fmt.Errorf("%w: a swap of a missing object was done", ErrConditions)
	case !errors.Is(err, ErrPrecondition):
		return err
	}
	return nil
}
