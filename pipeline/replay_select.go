package pipeline

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// Selection says which drops are meant by the imports that they had. What is given must hold, all of it; a Selection of
// which nothing is given means all.
type Selection struct {
	// Import is the id of one, or how it begins: it may be one that was replaced, too.
	Import string
	Owner  string
	// Provider is the name of an importer, Importer a version; either must have read something of the drop.
	Provider, Importer string
	// Since and Until bound when the import ended by the store's clock, the first included. Zero times are no bounds.
	Since, Until time.Time
}

// Selected is a drop, with the import that stands for it: the accepted one, or, when it has none, the newest that was
// refused or failed.
type Selected struct {
	Owner  string `json:"owner"`
	Drop   string `json:"drop"`
	Import string `json:"import"`
	// Named is the import that was asked for, when another has taken its place.
	Named string `json:"named,omitempty"`
	State string `json:"state"`
	// Ended is when its receipt was written.
	Ended     time.Time `json:"ended"`
	Importers []string  `json:"importers,omitempty"`
	// Parts are what the person called the archives.
	Parts []string `json:"parts,omitempty"`
	// Trouble says why nothing can be done about it: its receipt or its input set is damaged.
	Trouble string `json:"trouble,omitempty"`
}

// Select gives the selected drops, owner by owner. Held in memory is what one owner has.
func Select(ctx context.Context, s blob.Store, sel Selection) iter.Seq2[Selected, error] {
	return func(yield func(Selected, error) bool) {
		prefix := "owners/"
		if sel.Owner != "" {
			prefix = state.OwnerKey(sel.Owner, "imports/"+sel.Import)
		}
		c := chosen{s: s, sel: sel, yield: yield}
		for o, err := range s.List(ctx, prefix) {
			if err != nil {
				yield(Selected{}, fmt.Errorf("list imports: %w", err))
				return
			}
			owner, id, ok := importAt(o.Key) // one whose head was swapped just now has no receipt yet, nor has one that an older version does again
			if !ok {
				continue
			}
			if owner != c.owner && !c.flush(ctx) {
				return
			}
			c.owner = owner
			if _, _, ended := receiptAt(o.Key); ended && strings.HasPrefix(id, sel.Import) {
				c.ended = append(c.ended, endedImport{id, o.ModTime})
			}
		}
		c.flush(ctx)
	}
}

// KnownOwner tells whether there is anything of an owner.
func KnownOwner(ctx context.Context, s blob.Store, owner string) (bool, error) {
	for _, prefix := range []string{state.OwnerKey(owner, ""), "work/" + owner + "/", state.InboxPrefix(owner)} {
		for _, err := range s.List(ctx, prefix) {
			return err == nil, err
		}
	}
	return false, nil
}

// receiptAt gives owner and import of the key of a receipt.
func receiptAt(key string) (owner, id string, ok bool) {
	parts := strings.Split(key, "/")
	if len(parts) != 5 || parts[0] != "owners" || parts[2] != "imports" || parts[4] != "receipt.json" {
		return "", "", false
	}
	return parts[1], parts[3], state.CheckOwner(parts[1]) == nil && state.CheckHex("import", parts[3]) == nil
}

// importAt gives owner and import of the key of an object of an import.
func importAt(key string) (owner, id string, ok bool) {
	parts := strings.SplitN(key, "/", 5)
	if len(parts) != 5 || parts[0] != "owners" || parts[2] != "imports" {
		return "", "", false
	}
	return parts[1], parts[3], state.CheckOwner(parts[1]) == nil && state.CheckHex("import", parts[3]) == nil
}

// endedImport is an import with a receipt, and when that was written.
type endedImport struct {
	id string
	at time.Time
}

// chosen sorts out the imports of one owner.
type chosen struct {
	s     blob.Store
	sel   Selection
	yield func(Selected, error) bool

	owner   string
	ended   []endedImport
	refused map[string]Selected // by drop: the newest of each that has no accepted import
}

// flush yields what is selected of the owner; false: the caller has enough, or had an error.
func (c *chosen) flush(ctx context.Context) bool {
	if c.owner == "" {
		return true
	}
	c.refused = map[string]Selected{}
	defer func() { c.ended = c.ended[:0] }()
	head, _, err := state.ReadHead(ctx, c.s, c.owner)
	var inputs state.Inputs
	if err == nil {
		inputs, err = state.ReadInputs(ctx, c.s, c.owner, head)
	}
	if err != nil {
		return c.trouble(Selected{Owner: c.owner}, err)
	}
	accepted := make(map[string]string, len(inputs.Drops)) // import → drop
	for drop, id := range inputs.Drops {
		accepted[id] = drop
	}
	for _, e := range c.ended {
		if !c.one(ctx, e, inputs, accepted[e.id]) {
			return false
		}
		delete(accepted, e.id)
	}
	for _, id := range slices.Sorted(maps.Keys(accepted)) {
		if strings.HasPrefix(id, c.sel.Import) && !c.open(ctx, Selected{Owner: c.owner, Drop: accepted[id], Import: id}, inputs) {
			return false
		}
	}
	for _, drop := range slices.Sorted(maps.Keys(c.refused)) {
		if !c.yield(c.refused[drop], nil) {
			return false
		}
	}
	return true
}

// one looks at an import of the owner; drop is that whose accepted import it is, "" for none.
func (c *chosen) one(ctx context.Context, e endedImport, inputs state.Inputs, drop string) bool {
	accepted := drop != ""
	named := c.sel.Import != ""
	_, past := slices.BinarySearch(inputs.Past, e.id)
	switch {
	case past && !named:
		return true // another stands for its drop
	case !named && !c.within(e.at):
		return true
	}
	s, importers, err := c.read(ctx, e)
	if err != nil {
		return c.trouble(Selected{Owner: c.owner, Drop: drop, Import: e.id, Ended: e.at}, err)
	}
	if id, ok := inputs.Drops[s.Drop]; ok && !accepted {
		if !named {
			return true // refused when it was read once more; the accepted result stands
		}
		o, err := c.s.Head(ctx, state.ReceiptKey(c.owner, id))
		if state.IsMissing(err) {
			return c.open(ctx, Selected{Owner: c.owner, Drop: s.Drop, Import: id, Named: s.Import}, inputs)
		}
		if err == nil {
			e = endedImport{id, o.ModTime}
			named := s.Import
			if s, importers, err = c.read(ctx, e); err == nil {
				s.Named = named
			}
		}
		if err != nil {
			return c.trouble(Selected{Owner: c.owner, Drop: s.Drop, Import: id, Named: s.Import}, err)
		}
		accepted = true
	}
	if !c.within(s.Ended) || !c.readBy(importers) {
		return true
	}
	if accepted {
		return c.yield(s, nil)
	}
	if before, ok := c.refused[s.Drop]; !ok || s.Ended.After(before.Ended) {
		c.refused[s.Drop] = s
	}
	return true
}

// open looks at the accepted import of a drop that the list had no receipt of. It has ended since, or it is being done again, as
// one with losses is: then what is known of it stands in its manifest, and whoever asks for the drop finds out whether it waits.
func (c *chosen) open(ctx context.Context, s Selected, inputs state.Inputs) bool {
	o, err := c.s.Head(ctx, state.ReceiptKey(c.owner, s.Import))
	if err == nil && s.Named == "" {
		return c.one(ctx, endedImport{s.Import, o.ModTime}, inputs, s.Drop)
	}
	if err != nil && !state.IsMissing(err) {
		return c.trouble(s, err)
	}
	m, ok, err := state.ReadManifest(ctx, c.s, c.owner, s.Import)
	if err == nil && !ok {
		err = fault.Permanentf("restore the object from a backup, or import the drop again", "read manifest of import %s: it is missing", s.Import)
	}
	if err != nil {
		return c.trouble(s, err)
	}
	if !c.sel.Since.IsZero() || !c.sel.Until.IsZero() || !c.readBy(m.Importers) {
		return true // it has not ended yet, or is another's
	}
	s.Importers = m.Importers
	for _, p := range m.Parts {
		s.Parts = append(s.Parts, p.Name)
	}
	return c.yield(s, nil)
}

// read gives an import as its receipt tells it.
func (c *chosen) read(ctx context.Context, e endedImport) (Selected, []string, error) {
	r, ok, err := state.ReadReceipt(ctx, c.s, c.owner, e.id)
	if err == nil && (!ok || r.Owner != c.owner || state.CheckHex("drop", r.Drop) != nil) {
		err = fault.Permanentf("restore the object from a backup, or import the drop again", "read receipt of import %s: it is gone, or names another owner or no drop", e.id)
	}
	s := Selected{Owner: c.owner, Drop: r.Drop, Import: e.id, State: r.State, Ended: e.at, Importers: r.Importers}
	for _, p := range r.Parts {
		s.Parts = append(s.Parts, p.Name)
	}
	return s, r.Importers, err
}

// trouble yields what cannot be read as such, so that it does not keep the others from being read; an outage ends all.
func (c *chosen) trouble(s Selected, err error) bool {
	if fault.Of(err) != fault.Permanent {
		c.yield(s, err)
		return false
	}
	s.Trouble = err.Error()
	return c.yield(s, nil)
}

func (c *chosen) within(at time.Time) bool {
	return !at.Before(c.sel.Since) && (c.sel.Until.IsZero() || at.Before(c.sel.Until))
}

func (c *chosen) readBy(importers []string) bool {
	provider := func(version string) bool {
		name, _, _ := strings.Cut(version, "-importer/")
		return name == c.sel.Provider
	}
	return (c.sel.Provider == "" || slices.ContainsFunc(importers, provider)) &&
		(c.sel.Importer == "" || slices.Contains(importers, c.sel.Importer))
}
