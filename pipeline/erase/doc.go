// Package erase removes what an owner wants forgotten: a memory, a conversation, a drop, or
// everything. First the wish is recorded in the ledger, so that nothing brings it back; then
// everything that was made of it is made again without it, or removed. Whoever is killed in between
// repeats the call: it goes on from the ledger.
//
// An import that holds something erased is written again without it, under another id, and takes
// the place of the first in the input set. What only the earlier store named is then removed by a
// prune.
package erase

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pipeline/job"
)

// The levels of an erasure.
const (
	LevelMemory       = "memory"
	LevelConversation = "conversation"
	LevelDrop         = "drop"
	LevelOwner        = "owner"
	LevelTombstones   = "tombstones"
)

// Errors that a caller decides on.
var (
	ErrUnknown = errors.New("the store has nothing of that id")
	ErrBusy    = errors.New("imports of the owner have not ended, or replaced exports are being removed: wait until they have ended, and repeat the command (`pamline status` shows imports; what was interrupted goes on with `pamline up`, or when it is imported again)")
)

// Worker does the work that a new store takes (*pipeline.Pipeline).
type Worker interface {
	Ask(ctx context.Context, ref job.Ref, w job.Want) (job.Asked, error)
	Replace(ctx context.Context, ref job.Ref, id string, past []string) (job.Asked, error)
	Wait(ctx context.Context, ref job.Ref, gen int) (job.Record, error)
}

// Options are what an erasure needs.
type Options struct {
	Store  blob.Store
	Worker Worker
	Now    func() time.Time
	NewID  func() string
	// KeyOf gives the key that signs receipts of an owner, the zero key for none; nil: none is
	// signed.
	KeyOf func(owner string) (keys.Private, error)
	// RenewKey encrypts what is left of an owner with a new data key, and destroys the earlier
	// ones, if the store is encrypted; nil if it is not.
	RenewKey func(ctx context.Context, owner string) (renewed bool, err error)
	// Versions gives the store that keeps earlier versions of objects; nil, or a nil one: none are
	// kept.
	Versions func() blob.Versioned
	// Outside reaches what lies outside of the store: search indexes, bundles that were written.
	// all tells that the owner has nothing any more. It is called before the erasure is over, so
	// that whoever repeats an interrupted one reaches it, too. nil: there is nothing.
	Outside func(ctx context.Context, owner string, all bool) error
	// KeepOriginals: archives that hold what is erased stay in the inbox.
	KeepOriginals bool
}

// Target is what is to be erased: an id, or the beginning of one; "" for an owner. Tombstones have
// what they name instead.
type Target struct {
	Level, ID  string
	Tombstones *Tombstones
}

// Check tells why a target cannot be one.
func (t Target) Check() error {
	switch t.Level {
	case LevelMemory, LevelConversation, LevelDrop:
		if t.ID != "" {
			return nil
		}
	case LevelOwner:
		if t.ID == "" {
			return nil
		}
	case LevelTombstones:
		if t.ID == "" && t.Tombstones != nil {
			return nil
		}
	}
	return fmt.Errorf("erase: level %q with id %q: the levels are memory, conversation and drop, each with an id, and owner without one", t.Level, t.ID)
}

// Preview says what an erasure reaches, before anything is done.
type Preview struct {
	Owner string `json:"owner"`
	Level string `json:"level"`
	ID    string `json:"id,omitempty"`
	// Conversations are the ids of the conversations that go, each with its title.
	Conversations map[string]string `json:"conversations,omitempty"`
	Records       int               `json:"records"`
	// Memories is how many memories of the store the tombstones of another store name or cover.
	Memories int `json:"memories,omitempty"`
	// Archives is how many archives hold what is erased. They are removed unless originals are
	// kept.
	Archives int `json:"archives"`
	// Objects counts all objects of an owner who is erased.
	Objects int `json:"objects,omitempty"`
}

// Receipt says what an erasure has done, by counts and kinds. It names nothing that was erased.
type Receipt struct {
	V     int    `json:"v"`
	Owner string `json:"owner"`
	Level string `json:"level"`
	At    string `json:"at"`
	// Removed and Rewritten count objects by kind.
	Removed   map[string]int64 `json:"removed,omitempty"`
	Rewritten map[string]int64 `json:"rewritten,omitempty"`
	// Checked are the kinds of objects that were looked through.
	Checked []string `json:"checked"`
	// LostReplays is how many drops cannot be read again, because their archives were removed.
	LostReplays int `json:"lost_replays"`
	// KeptOriginals is how many archives that hold what was erased were kept.
	KeptOriginals int `json:"kept_originals,omitempty"`
	// Unreached says what no program of this machine can reach.
	Unreached []string `json:"unreached"`
	// Signature is of this receipt without it, as [Receipt.Claims] says; nil if there is no key.
	Signature *pamio.Signature `json:"signature,omitempty"`
}
