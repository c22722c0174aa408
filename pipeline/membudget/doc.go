// Package membudget plans the memory of a process. All units in hand share one Budget; a unit waits
// until its weight, which is estimated from its source, fits. A unit that is too heavy for any
// budget is quarantined.
package membudget
