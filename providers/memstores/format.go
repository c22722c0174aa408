package memstores

import (
	"context"
	"path"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// format is one row.
type format struct {
	provider, version string
	// is recognizes a file by its first bytes.
	is func(s importer.Shape) bool
	// lists are the keys of the lists that are cut; the elements have the key as their role.
	lists []string
	// beside are names of files next to a recognized one that say the same again, with the reason.
	beside map[string]string
	// decode makes records of an element.
	decode func(e *element) error
}

// Roles of units that stand in no list of a key.
const (
	roleElement = "element"
	roleRest    = "rest"
	roleAgain   = "again"
)

const codeAgain = "said-again"

// New gives the importers of all formats, those with narrower marks first.
func New() []importer.Importer {
	var all []importer.Importer
	for _, f := range formats {
		all = append(all, f.importer())
	}
	return all
}

func (f *format) importer() importer.Importer {
	return &cut.Format{
		Provider: f.provider, Release: f.version, File: f.provider + ".json",
		ClaimMembers: f.claim, SplitMember: f.split, DecodeElement: f.items,
		RestoreElement: cut.WithoutInverse("memories are records, and have no conversations"),
	}
}

func (f *format) claim(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	folders := map[string]bool{}
	again := map[int]bool{}
	err := localapp.Look(ctx, members, peek, func(m archive.Member, s importer.Shape, err error) {
		if err == nil && !s.Empty && f.is(s) {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleElement})
			folders[path.Dir(m.Name)] = true
		}
	})
	if err != nil {
		return c, err
	}
	for _, m := range members {
		if f.beside[path.Base(m.Name)] != "" && folders[path.Dir(m.Name)] && !again[m.Index] {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleAgain})
		}
	}
	return c, nil
}

func (f *format) split(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	if u.Role == roleAgain {
		u.Context = importer.Skip{Code: codeAgain, Reason: f.beside[path.Base(u.Member.Name)], Count: 1}
		return cut.File(ctx, u, func(u importer.Unit, err error) bool {
			u.Raw = nil
			return yield(u, err)
		})
	}
	o := cut.Options{Wrappers: f.lists, Roles: map[string]string{}, Rest: roleRest}
	for _, k := range f.lists {
		o.Roles[k] = k
	}
	seen := map[string]int{}
	return cut.Elements(ctx, u, o, func(one importer.Unit, err error) bool {
		one.Index = seen[one.Role]
		seen[one.Role]++
		return yield(one, err)
	})
}

// items makes the records of a unit.
func (f *format) items(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	e := &element{provider: f.provider, unit: u, root: src.Root}
	if u.Role == roleRest {
		e.setting("", src.Root)
		return e.items, nil
	}
	if err := f.decode(e); err != nil {
		return nil, err
	}
	if len(e.items) == 0 {
		e.setting(e.pointer(), src.Root)
	}
	return e.items, nil
}

// hasAny tells whether one of several paths is there behind a prefix.
func hasAny(s importer.Shape, prefix string, paths ...string) bool {
	for _, p := range paths {
		if s.Has(prefix + p) {
			return true
		}
	}
	return false
}

// textOf gives the first text under one of several keys.
func textOf(n jsonscan.Node, keys ...string) string {
	for _, k := range keys {
		if v := n.Get(k); v.Kind() == jsonscan.String && v.Str() != "" {
			return v.Str()
		}
	}
	return ""
}
