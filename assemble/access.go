package assemble

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// AccessEdit says who may see a memory (PAM §9). What it does not name stays as it is.
type AccessEdit struct {
	// Visibility is private, shared or public; "" leaves it.
	Visibility string `json:"visibility,omitempty"`
	// Exportable nil leaves it.
	Exportable *bool `json:"exportable,omitempty"`
	// Grants are the permissions of each entity: read, write, delete; none takes the grant away.
	Grants map[string][]string `json:"grants,omitempty"`
}

// With is a with what o names in the place of its own.
func (a *AccessEdit) With(o *AccessEdit) *AccessEdit {
	if a == nil || o == nil {
		return cmp.Or(a, o)
	}
	out := *a
	out.Visibility, out.Exportable = cmp.Or(o.Visibility, a.Visibility), cmp.Or(o.Exportable, a.Exportable)
	out.Grants = maps.Clone(a.Grants)
	for entity, granted := range o.Grants {
		if out.Grants == nil {
			out.Grants = map[string][]string{}
		}
		out.Grants[entity] = granted
	}
	return &out
}

// visibilities and permissions are those of PAM §9, the most restrictive first.
var (
	visibilities = []string{"private", "shared", "public"}
	permissions  = []string{"read", "write", "delete"}
)

// ErrAccess is wrapped when an edit says what PAM §9 does not have.
var ErrAccess = errors.New("no such access")

// Check tells what of an edit is not access as PAM has it. Nil says nothing, and is good.
func (a *AccessEdit) Check() error {
	if a == nil {
		return nil
	}
	if a.Visibility != "" && !slices.Contains(visibilities, a.Visibility) {
		return fmt.Errorf("%w: visibility is private, shared or public, not %q", ErrAccess, a.Visibility)
	}
	for entity, granted := range a.Grants {
		if entity == "" {
			return fmt.Errorf("%w: a grant names nobody", ErrAccess)
		}
		for _, p := range granted {
			if !slices.Contains(permissions, p) {
				return fmt.Errorf("%w: permissions are read, write and delete, not %q", ErrAccess, p)
			}
		}
	}
	if a.Visibility == "" && a.Exportable == nil && len(a.Grants) == 0 {
		return fmt.Errorf("%w: the edit says nothing", ErrAccess)
	}
	return nil
}

// access is what is said of access to a memory, with the time of each saying.
type access struct {
	Visibility saying[string]              `json:"v,omitzero"`
	Exportable saying[*bool]               `json:"e,omitzero"`
	Grants     map[string]saying[[]string] `json:"g,omitempty"`
	// Hand is the time of the last edit, "" for none.
	Hand when `json:"h,omitempty"`
}

// saying is a value and the time of which it is.
type saying[T any] struct {
	Is T    `json:"is"`
	At when `json:"at,omitempty"`
	// Set tells that it is said at all.
	Set bool `json:"set"`
}

// say takes a value that is not older than the one before.
func (s *saying[T]) say(value T, at when) {
	if !s.Set || at >= s.At {
		*s = saying[T]{value, at, true}
	}
}

// edit takes what is said of a memory at a time.
func (a *access) edit(e *AccessEdit, at when) {
	if e.Visibility != "" {
		a.Visibility.say(e.Visibility, at)
	}
	if e.Exportable != nil {
		a.Exportable.say(e.Exportable, at)
	}
	for entity, granted := range e.Grants {
		s := a.Grants[entity]
		s.say(permissionsInOrder(granted), at)
		if a.Grants == nil {
			a.Grants = map[string]saying[[]string]{}
		}
		a.Grants[entity] = s
	}
}

// permissionsInOrder are permissions in the order of PAM §9, each once.
func permissionsInOrder(granted []string) []string {
	out := []string{}
	for _, p := range permissions {
		if slices.Contains(granted, p) {
			out = append(out, p)
		}
	}
	return out
}

// restrict takes what is said of a duplicate: of each value, the most restrictive counts.
func (a *access) restrict(o *access) {
	if o.Visibility.Set && (!a.Visibility.Set || slices.Index(visibilities, o.Visibility.Is) < slices.Index(visibilities, a.Visibility.Is)) {
		a.Visibility = o.Visibility
	}
	if o.Exportable.Set && (!a.Exportable.Set || !*o.Exportable.Is) {
		a.Exportable = o.Exportable
	}
	for entity, granted := range o.Grants {
		if own, both := a.Grants[entity]; both {
			granted.Is = slices.DeleteFunc(slices.Clone(granted.Is), func(p string) bool { return !slices.Contains(own.Is, p) })
		}
		if a.Grants == nil {
			a.Grants = map[string]saying[[]string]{}
		}
		a.Grants[entity] = granted
	}
	a.Hand = max(a.Hand, o.Hand)
}

// isSaid tells whether anything is said.
func (a *access) isSaid() bool { return a.Visibility.Set || a.Exportable.Set || len(a.Grants) > 0 }

// block is the access block of a memory, nil if nothing is said of it.
func (a *access) block() *pamio.Access {
	if !a.isSaid() {
		return nil
	}
	out := &pamio.Access{Visibility: visibilities[0], Exportable: true}
	if a.Visibility.Set {
		out.Visibility = a.Visibility.Is
	}
	if a.Exportable.Set {
		out.Exportable = *a.Exportable.Is
	}
	for _, entity := range slices.Sorted(maps.Keys(a.Grants)) {
		if granted := a.Grants[entity].Is; len(granted) > 0 {
			out.SharedWith = append(out.SharedWith, pamio.Grant{Entity: entity, Permissions: granted})
		}
	}
	return out
}

// pack writes the access as one string, "" for none: most memories have none.
func (a *access) pack(dst []byte) []byte {
	if !a.isSaid() {
		return packString(dst, "")
	}
	text, err := json.Marshal(a)
	if err != nil {
		panic(err) // strings and booleans
	}
	return packString(dst, string(text))
}

func (u *unpacker) access(a *access) {
	*a = access{}
	if text := u.string(); text != "" && u.err == nil {
		u.err = json.Unmarshal([]byte(text), a)
	}
}

// accessSaying is the value of a record of what an edit says of access, or an adopted memory.
type accessSaying struct {
	At   when       `json:"at"`
	ID   string     `json:"id,omitempty"`
	Edit AccessEdit `json:"edit"`
	Hand bool       `json:"hand,omitempty"`
}

func (s *accessSaying) apply(a *access) {
	a.edit(&s.Edit, s.At)
	if s.Hand {
		a.Hand = max(a.Hand, s.At)
	}
}

// addAccess files what an edit says of access with the memory, in order of time.
func addAccess(evidence *extsort.Sorter, memory string, e *Edit) error {
	return fileAccess(evidence, memory, &accessSaying{At: byHand(e.At), ID: e.ID, Edit: *e.Access, Hand: true})
}

func fileAccess(evidence *extsort.Sorter, memory string, s *accessSaying) error {
	value, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("sort edits: %w", err)
	}
	key := append(tupleString(nil, memory), accessRecord)
	return evidence.Add(s.At.ascending(key), value)
}

func readAccess(value []byte, a *access) error {
	var s accessSaying
	if err := json.Unmarshal(value, &s); err != nil {
		return errRecord
	}
	s.apply(a)
	return nil
}

// AccessOf is what an access block says, as an edit; nil for none.
func AccessOf(a *pamio.Access) *AccessEdit {
	if a == nil {
		return nil
	}
	e := &AccessEdit{Visibility: a.Visibility, Exportable: &a.Exportable}
	for _, g := range a.SharedWith {
		if e.Grants == nil {
			e.Grants = map[string][]string{}
		}
		e.Grants[g.Entity] = g.Permissions
	}
	return e
}
