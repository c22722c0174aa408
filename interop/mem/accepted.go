package mem

import (
	"context"
	"fmt"
	"math"
)

// checkWhole checks a bundle that is to be read, and gives its first fault. It notes the streams
// whose records are not in canonical order.
func (b *Bundle) checkWhole(ctx context.Context, scratch string, unordered map[string]bool) error {
	first := ""
	r, err := b.Check(ctx, CheckOptions{Scratch: scratch, MaxFindings: math.MaxInt, OnFinding: func(f Finding) {
		if f.Severity == Error && first == "" {
			first = f.String()
		}
		if f.ID == "not-canonical" {
			unordered[f.Path] = true
		}
	}})
	if err == nil && r.Errors > 0 {
		err = fmt.Errorf("%w: %s", ErrInvalid, first)
	}
	return err
}

// ReadTombstones checks a bundle as a whole and gives the ledger of its tombstones with an accepted
// authority: an accepted key signed them, or the manifest. tombstone gets the line of each, once.
func ReadTombstones(ctx context.Context, b *Bundle, o MergeOptions, tombstone func(line []byte) error) (l *Ledger, m Merged, err error) {
	if b.Manifest == nil {
		return nil, m, fmt.Errorf("%w: %w", ErrInvalid, ErrManifest)
	}
	if err := b.checkWhole(ctx, o.Scratch, map[string]bool{}); err != nil {
		return nil, m, err
	}
	l = NewLedger()
	err = m.readTombstones(b, o, l, map[string]bool{}, func(_ string, line []byte) error { return tombstone(line) })
	return l, m, err
}

// Each gives every erased row that the tombstones name, by kind and key.
func (l *Ledger) Each(row func(kind, key string)) {
	for at := range l.dead {
		row(at.kind, at.key)
	}
}
