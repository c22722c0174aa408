package web

import "time"

// Patience is how long a request waits before it is answered with less than it asked for.
type Patience struct {
	// Newer is the wait for the current catalog, while an older one or a notice can be shown.
	Newer time.Duration
	// Index is the wait for the search index, which may be in the making.
	Index time.Duration
	// Count is the wait for the size of a store, and Work the wait for validations and erasures:
	// short ones show their result at once.
	Count, Work time.Duration
}

// defaultPatience keeps the first byte within 100 ms of every page that can show less.
func defaultPatience() Patience {
	return Patience{Newer: 80 * time.Millisecond, Index: 400 * time.Millisecond, Count: 60 * time.Millisecond, Work: 1500 * time.Millisecond}
}
