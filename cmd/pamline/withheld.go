package main

import (
	"bytes"
	"errors"
	"slices"

	"github.com/pamline/pamline/cmd/internal/inspect"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/search"
)

// outgoing tells that what a command prints leaves the person's hands, so that memories marked
// exportable: false stay out (PAM §21.1).
type outgoing bool

// isWithheld tells whether a memory stays out.
func (o outgoing) isWithheld(m *pamio.Memory) bool {
	return bool(o) && m.Access != nil && !m.Access.Exportable
}

// withheldIn are the ids of the memories of a bundle that stay out.
func (o outgoing) withheldIn(b *pamio.Bundle) (ids pamio.Withheld, err error) {
	ids = pamio.Withheld{}
	if !o {
		return ids, nil
	}
	f, err := b.OpenStore()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return ids, pamio.ReadStore(f, pamio.Visitor{Memory: func(e pamio.Element) error {
		if !bytes.Contains(e.Raw, []byte("exportable")) {
			return nil // most memories have no access block
		}
		m, err := pamio.ParseMemory(e.Raw)
		if err == nil && o.isWithheld(m) {
			ids[m.ID] = true
		}
		return err
	}})
}

// openHits leaves out the hits in memories that stay out.
func openHits(hits []search.Hit, withheld pamio.Withheld) []search.Hit {
	return slices.DeleteFunc(hits, func(h search.Hit) bool { return withheld[h.Memory] })
}

// leaveOut removes what names memories that stay out.
func leaveOut(r *inspect.Reasons, withheld pamio.Withheld) {
	before := len(r.Linked)
	r.Linked = slices.DeleteFunc(r.Linked, func(l inspect.Linked) bool { return withheld[l.ID] })
	r.LinkedTotal -= before - len(r.Linked)
	r.History = slices.DeleteFunc(r.History, func(v inspect.Version) bool { return withheld[v.ID] })
}
