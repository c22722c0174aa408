package replay

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// Filter selects dead letters. The zero Filter selects all but wrong uploads.
type Filter struct {
	Owner string `json:"owner,omitempty"`
	Stage string `json:"stage,omitempty"` // ingest, extract, assemble or inbox
	// Drop is the whole id of a drop, which needs Owner, or of an entry of the inbox.
	Drop string `json:"drop,omitempty"`
	// ID is a prefix of at least minLetterID digits.
	ID string `json:"id,omitempty"`
	// WrongUploads includes drops that were refused for what is in them, and entries of the inbox
	// that were refused for what they are. Stage take includes them, too.
	WrongUploads bool `json:"wrong_uploads,omitempty"`
	// After is the Next of the page before; Limit is the most letters of a page (0: 100).
	After string `json:"after,omitempty"`
	Limit int    `json:"limit,omitempty"`
}

// minLetterID is how many digits of the id of a dead letter a prefix needs.
const minLetterID = 4

// ErrFilter is returned for a Filter that can select nothing. Its text says why.
var ErrFilter = errors.New("wrong selection of dead letters")

// Check tells what is wrong with a filter.
func (f Filter) Check() error {
	if f.Owner != "" {
		if err := state.CheckOwner(f.Owner); err != nil {
			return fmt.Errorf("%w: %w", ErrFilter, err)
		}
	}
	switch job.Kind(f.Stage) {
	case "", stageInbox, job.Ingest, job.Extract, job.Assemble:
	default:
		return fmt.Errorf("%w: there is no stage %q: use %s, %s, %s or %s", ErrFilter, f.Stage, stageInbox, job.Ingest, job.Extract, job.Assemble)
	}
	switch {
	case f.ID != "" && (len(f.ID) < minLetterID || strings.Trim(f.ID, "0123456789abcdef") != ""):
		return fmt.Errorf("%w: %q is no id: copy it from `pamline dlq list`; %d digits suffice", ErrFilter, f.ID, minLetterID)
	case f.Drop != "" && f.Owner == "" && !f.isOfEntry():
		return fmt.Errorf("%w: a drop needs its owner", ErrFilter)
	case f.Limit < 0:
		return fmt.Errorf("%w: a limit is at least 0", ErrFilter)
	}
	return nil
}

// jobFilter gives the filter of the job records.
func (f Filter) jobFilter() job.Filter {
	out := job.Filter{Owner: f.Owner, Kind: job.Kind(f.Stage), WrongUploads: f.WrongUploads}
	if f.Drop != "" {
		out.Prefix = f.Owner + "/" + f.Drop + "."
	}
	if f.After != "" || f.ID != "" {
		out.Skip = f.skips
	}
	return out
}

// skips tells whether a filter leaves out a letter by its cursor.
func (f Filter) skips(cursor string) bool {
	return cursor <= f.After || !strings.HasPrefix(letterID(cursor), f.ID)
}

// letterID gives the short id of a dead letter.
func letterID(cursor string) string { return objects.Digest(cursor)[:12] }
