package cut

import (
	"context"
	"fmt"
	"iter"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// Splitter yields the units of one claimed member, which are made from u. It tells whether to go
// on.
type Splitter func(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool

// Format is an importer as a table: what its methods give, and the functions that do the work.
type Format struct {
	Provider string // its name
	Release  string // its version
	File     string // the name of a file of restored elements
	// ClaimMembers is Claim.
	ClaimMembers func(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (importer.Claim, error)
	// SplitMember is for each claimed member; [Text] for formats in which a file is a unit.
	SplitMember Splitter
	// SplitRest yields the units of the claim behind those of its members; nil where there are
	// none.
	SplitRest func(ctx context.Context, c importer.Claim, limits importer.Limits, yield func(importer.Unit, error) bool)
	// Counted has the accounts of the roles whose units are counted and not kept.
	Counted map[string]importer.Skip
	// DecodeUnit is Decode for units that could be cut out and are kept.
	DecodeUnit func(u importer.Unit) ([]importer.Item, error)
	// DecodeElement is DecodeUnit for formats whose units are all JSON.
	DecodeElement func(u importer.Unit, src *lossless.Source) ([]importer.Item, error)
	// BesideUnit is Beside of conversations; nil: no conversation is taken over.
	BesideUnit func(u importer.Unit) (name string, ok bool)
	// RestoreElement is Restore.
	RestoreElement func(dst []byte, doc *pamio.Conversation) ([]byte, error)
}

var (
	_ importer.Importer   = &Format{}
	_ importer.Repeatable = &Format{}
)

// Name is the provider's identifier.
func (f *Format) Name() string { return f.Provider }

// Version is the version of the importer.
func (f *Format) Version() string { return f.Release }

// RestoreFile names the file of restored elements.
func (f *Format) RestoreFile() string { return f.File }

// Claim takes members with ClaimMembers.
func (f *Format) Claim(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (importer.Claim, error) {
	return f.ClaimMembers(ctx, members, peek, limits)
}

// Split cuts each claimed member with SplitMember, and the claim with SplitRest.
func (f *Format) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	members := Members(ctx, c, limits, f.SplitMember)
	if f.SplitRest == nil {
		return members
	}
	return func(yield func(importer.Unit, error) bool) {
		for u, err := range members {
			if !yield(u, err) {
				return
			}
		}
		f.SplitRest(ctx, c, limits.WithDefaults(), yield)
	}
}

// Beside names what a unit's conversation is made of with BesideUnit.
func (f *Format) Beside(u importer.Unit, _ string) (name string, ok bool) {
	if f.BesideUnit == nil {
		return "", false
	}
	return f.BesideUnit(u)
}

// Decode gives the account of a unit that is only counted, by its role or by [Counted], and the
// items of any other.
func (f *Format) Decode(u importer.Unit) ([]importer.Item, error) {
	if u.Err != nil {
		return nil, u.Err
	}
	account, counted := f.Counted[u.Role]
	if !counted {
		account, counted = u.Context.(importer.Skip)
	}
	if counted {
		return []importer.Item{{Skip: &account}}, nil
	}
	if f.DecodeUnit != nil {
		return f.DecodeUnit(u)
	}
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	return f.DecodeElement(u, src)
}

// Restore rebuilds the element of a document with RestoreElement.
func (f *Format) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return f.RestoreElement(dst, doc)
}

// WithoutInverse is the RestoreElement of a format that has no inverse; origin says what a
// conversation was.
func WithoutInverse(origin string) func(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return func(dst []byte, doc *pamio.Conversation) ([]byte, error) {
		return dst, fmt.Errorf("restore conversation %s: %s: %w", doc.ID, origin, importer.ErrNoInverse)
	}
}
