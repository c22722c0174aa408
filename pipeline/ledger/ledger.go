// Package ledger is the memory of what an owner has had erased: archives that are imported again
// are read without it. It holds keyed hashes under a secret of the owner, and so neither text, nor
// digests of text, nor ids that follow from text.
package ledger

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// CodeErased is the code under which an import counts what it has left out.
const CodeErased = "erased"

// ReasonErased is the reason that goes with it.
const ReasonErased = "erased at the owner's request"

// Entry is one erasure.
type Entry struct {
	At    string `json:"at"` // RFC 3339
	Level string `json:"level"`
	// Keys are keyed hashes, ascending (Ledger.Key).
	Keys []string `json:"keys,omitempty"`
	// All: everything that was there before At is erased.
	All bool `json:"all,omitempty"`
	// KeepOriginals: archives that hold what was erased stay.
	KeepOriginals bool `json:"keep_originals,omitempty"`
	// Done: everything that this erasure has to reach was reached.
	Done bool `json:"done,omitempty"`
}

// Ledger has the erasures of an owner. The zero Ledger has none.
type Ledger struct {
	V       int     `json:"v"`
	Secret  string  `json:"secret"`
	Entries []Entry `json:"entries"`
	// Receipts is how many erasures have ended. Each has a receipt, by which a ledger that is an
	// earlier version, or missing, is noticed.
	Receipts int `json:"receipts"`

	keys map[string]string // → newest time
	all  string            // newest time; "" for none
}

// ObjectKey is where the ledger of an owner lies.
func ObjectKey(owner string) string { return state.OwnerKey(owner, "erasures.json") }

// ReceiptKey is where the receipt of the n-th erasure of an owner lies, from 1.
func ReceiptKey(owner string, n int) string {
	return state.OwnerKey(owner, fmt.Sprintf("erasures/%06d.json", n))
}

// withReceipts is the version of ledgers that count receipts.
const withReceipts = 2

// Read gives the ledger of an owner and its ETag, "" if there is none yet. A ledger that lacks an
// erasure which has a receipt is damaged: what was erased would come back.
func Read(ctx context.Context, s blob.Store, owner string) (*Ledger, string, error) {
	l := &Ledger{}
	tag, err := objects.ReadJSON(ctx, s, ObjectKey(owner), l)
	switch {
	case objects.IsMissing(err):
		l, tag = &Ledger{}, ""
	case err != nil:
		return l, tag, err
	case l.V < withReceipts:
		l.index()
		return l, tag, nil
	}
	l.index()
	next := l.Receipts + 1
	if l.isPending() {
		next++ // its own receipt is written before the erasure is done
	}
	isOld, err := objects.Exists(ctx, s, ReceiptKey(owner, next))
	if err == nil && isOld {
		problem := "it is an earlier version"
		if tag == "" {
			problem = "it is missing"
		}
		err = fault.Permanentf(objects.UnusableHint(ObjectKey(owner)), "read %s: %w: %s: %s is the receipt of an erasure that it does not have",
			ObjectKey(owner), objects.ErrDamaged, problem, ReceiptKey(owner, next))
	}
	return l, tag, err
}

// isPending tells whether an erasure was recorded that has not ended.
func (l *Ledger) isPending() bool {
	return slices.ContainsFunc(l.Entries, func(e Entry) bool { return !e.Done })
}

func (l *Ledger) index() {
	l.keys, l.all = map[string]string{}, ""
	for _, e := range l.Entries {
		for _, k := range e.Keys {
			l.keys[k] = max(l.keys[k], e.At)
		}
		if e.All {
			l.all = max(l.all, e.At)
		}
	}
}

// IsEmpty tells whether nothing was ever erased.
func (l *Ledger) IsEmpty() bool { return len(l.Entries) == 0 }

// The kinds of what is erased, for Key.
const (
	Conversation = "conversation" // by id
	Record       = "record"       // by its text
	Drop         = "drop"         // by digest
	Asset        = "asset"        // by its name in a bundle
	Memory       = "memory"       // by id
	Tombstone    = "tombstone"    // by the id of the memory that a deletion of another store names
)

// Key is the keyed hash of something of a kind.
func (l *Ledger) Key(kind, name string) string {
	if kind == Record {
		name = pamio.NormalizeContent(name)
	}
	h := hmac.New(sha256.New, []byte(l.Secret))
	h.Write([]byte(kind + "\n" + name))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Has tells whether something was erased, whenever it was said.
func (l *Ledger) Has(kind, name string) bool {
	return len(l.keys) > 0 && l.keys[l.Key(kind, name)] != ""
}

// HasConversation tells whether a conversation was erased, or was begun before everything was.
func (l *Ledger) HasConversation(id, createdAt string) bool {
	return l.Has(Conversation, id) || l.all != "" && !isAfter(createdAt, l.all)
}

// HasRecord tells whether a record was erased and says nothing that is newer.
func (l *Ledger) HasRecord(text, at string) bool {
	if l.all != "" && !isAfter(at, l.all) {
		return true
	}
	if len(l.keys) == 0 {
		return false
	}
	erased := l.keys[l.Key(Record, text)]
	return erased != "" && !isAfter(at, erased)
}

// HasMemory tells whether a memory of another store was erased and says nothing that is newer,
// whatever else its element says.
func (l *Ledger) HasMemory(id, at string) bool {
	if len(l.keys) == 0 || id == "" {
		return false
	}
	erased := l.keys[l.Key(Memory, id)]
	return erased != "" && !isAfter(at, erased)
}

// isAfter compares times; an unknown one is after nothing.
func isAfter(at, erased string) bool {
	t, err := pamio.ParseTime(at)
	e, bad := pamio.ParseTime(erased)
	return at != "" && err == nil && bad == nil && t.After(e)
}

// countReceipts lists the receipts, for a ledger of a version that does not count them.
func countReceipts(ctx context.Context, s blob.Store, owner string) (n int, err error) {
	for _, err := range s.List(ctx, state.OwnerKey(owner, "erasures/")) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// Change swaps the ledger for a changed one. secret makes the secret of an owner who has none.
func Change(ctx context.Context, s blob.Store, owner string, secret func() string, change func(*Ledger)) (*Ledger, error) {
	for {
		l, tag, err := Read(ctx, s, owner)
		if err != nil {
			return nil, err
		}
		if l.V < withReceipts {
			if l.Receipts, err = countReceipts(ctx, s, owner); err != nil {
				return nil, err
			}
		}
		if l.V = withReceipts; l.Secret == "" {
			l.Secret = secret()
		}
		change(l)
		for i := range l.Entries {
			slices.Sort(l.Entries[i].Keys)
			l.Entries[i].Keys = slices.Compact(l.Entries[i].Keys)
		}
		err = objects.SwapJSON(ctx, s, ObjectKey(owner), tag, l)
		if errors.Is(err, blob.ErrPrecondition) {
			continue
		}
		l.index()
		return l, err
	}
}
