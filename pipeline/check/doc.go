// Package check looks for damage in a store: every object of an owner by itself, and every object
// that another one names, from the log of heads down to the files of a bundle. What can be derived
// from other objects, it repairs.
//
// An object is never changed to fit others. A repair makes the very object that was lost, and
// compares its digest, or it leaves the damage as it is. Where no digest is known (job records,
// receipts, hints), a repair writes what the other objects say.
package check

import (
	"context"

	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/publish"
)

// Options are what a check needs.
type Options struct {
	Store blob.Store
	// Parallel is how many objects are read at a time; 0 means 1.
	Parallel int
	// Pause is called before each object is read: it slows a check down that others should not
	// notice; nil: there is no pause.
	Pause func(context.Context) error
	// Seen is told of each object that was read, with its size; nil: nobody is.
	Seen func(bytes int64)
	// Ingest, Extraction and Publish are the stages that repairs use. Their stores are replaced.
	Ingest     ingest.Options
	Extraction extraction.Options
	Publish    publish.Options
	Log        *zap.Logger
}

// Report is what a check of one owner has found.
type Report struct {
	Owner   string `json:"owner"`
	Objects int64  `json:"objects"`
	Bytes   int64  `json:"bytes"`
	// Damage is ordered by object.
	Damage []Damage `json:"damage,omitempty"`
}

// Left is how many cases of damage are not repaired.
func (r Report) Left() (n int) {
	for _, d := range r.Damage {
		if !d.Repaired {
			n++
		}
	}
	return n
}

// Damage is one case: one object.
type Damage struct {
	Object string `json:"object"`
	// Problem says what is wrong, Consequence what does not work because of it, Advice what a
	// person can do.
	Problem     string `json:"problem"`
	Consequence string `json:"consequence"`
	Advice      string `json:"advice,omitempty"`
	// Conversations are the first ids of conversations that need the object, as far as they are
	// known.
	Conversations []string `json:"conversations,omitempty"`
	Repaired      bool     `json:"repaired,omitempty"`

	kind   *kind
	digest string // that the object must have; "" if nobody says, or its name does
	of     subject
	// leftover: no other object needs it.
	leftover bool
}

// maxConversations is how many conversations a case of damage names.
const maxConversations = 20
