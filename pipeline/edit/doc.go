// Package edit records the changes that people make to their stores by hand: memories that are
// retracted, archived, confirmed, replaced or added.
//
// An edit is an object of its own, written once. It is recorded first; then the owner's job is
// asked for a store with all edits so far. An edit that was recorded and not asked for, because the
// process was killed in between, enters the store with the next edit of the owner.
package edit
