package providers

import (
	"context"
	"fmt"
	"slices"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// Options of a detection.
type Options struct {
	// Importer pins one importer, by version ("chatgpt-importer/2026.07") or by name; "" lets the
	// content decide among the newest of each.
	Importer string
	Limits   Limits
}

// Detected is an importer and what it claims.
type Detected struct {
	Importer Importer
	Claim    Claim
}

// Detection says who reads what of an archive. Every member is in exactly one claim, or in
// Unclaimed with the reason.
type Detection struct {
	Claims    []Detected
	Unclaimed []Refusal
	// Missed are the unclaimed members, by index, that an importer refuses, that cannot be read, or
	// that are not what their name says: a person may miss what was in them.
	Missed map[int]bool
}

// UnrecognizedError is returned when no importer can read anything of an archive.
type UnrecognizedError struct {
	// Seen describes members for a person, a bounded number of them.
	Seen []string
	// More counts the members that Seen leaves out.
	More int
	// Importer is the only one that was asked, "" for all.
	Importer string
	// Damaged tells that a member cannot be read, or is not what its name says.
	Damaged bool
	// Encrypted tells that a member needs a password.
	Encrypted bool
}

func (e *UnrecognizedError) Error() string {
	msg := "no known export format"
	if e.Importer != "" {
		msg = "nothing that " + e.Importer + " reads; no other importer was asked"
	}
	if len(e.Seen) == 0 {
		return msg + "; it has no files"
	}
	for i, s := range e.Seen {
		if i == 0 {
			msg += "; found "
		} else {
			msg += "; "
		}
		msg += s
	}
	if e.More > 0 {
		msg += fmt.Sprintf("; and %d more", e.More)
	}
	return msg
}

// maxSeen bounds the members that an UnrecognizedError describes.
const maxSeen = 12

// Detect asks the importers what they will read of an archive. An archive in which nobody claims
// anything gives an *UnrecognizedError, unless all it has is empty lists: then there is nothing to
// claim and nothing wrong.
func (r *Registry) Detect(ctx context.Context, a *archive.Archive, o Options) (*Detection, error) {
	active, err := r.active(o.Importer)
	if err != nil {
		return nil, err
	}
	peek := importer.NewPeeks()
	d := &Detection{Missed: map[int]bool{}}
	taken, read := make(map[int]bool, len(a.Members)), make(map[int]bool, len(a.Members))
	refused := map[int]Refusal{}
	var worst error // the first refusal that tells what to do
	claims, settled, err := settle(ctx, active, a, peek, o.Limits.WithDefaults())
	if err != nil {
		return nil, err
	}
	for i, imp := range active {
		var c Claim
		if claims != nil {
			c = claims[i].Claim
		} else if c, err = imp.Claim(ctx, free(a.Members, taken, settled, imp.Name()), peek, o.Limits.WithDefaults()); err != nil {
			return nil, claimError(imp, err)
		}
		for _, ref := range c.Refused {
			refused[ref.Member.Index] = ref
			if worst == nil && ref.Hint != "" {
				worst = claimError(imp, &importer.RefusedError{Reason: ref.Reason, Hint: ref.Hint})
			}
		}
		for _, m := range c.Members {
			taken[m.Member.Index] = true
		}
		c.Members = slices.DeleteFunc(c.Members, func(m importer.ClaimedMember) bool { return m.Role == importer.RoleRefused })
		for _, m := range c.Members {
			read[m.Member.Index] = true
		}
		if len(c.Members) > 0 {
			d.Claims = append(d.Claims, Detected{imp, c})
		}
	}
	needsPassword, damaged := false, false
	for _, m := range a.Members {
		if read[m.Index] {
			continue
		}
		why, isRefused := refused[m.Index]
		if !isRefused {
			reason, is, err := describe(ctx, m, peek)
			if err != nil {
				return nil, err
			}
			why = Refusal{Member: m, Reason: reason}
			needsPassword = needsPassword || is == encrypted
			damaged = damaged || is != sound
			isRefused = is != sound
		}
		if isRefused {
			d.Missed[m.Index] = true
		}
		d.Unclaimed = append(d.Unclaimed, why)
	}
	if len(d.Claims) == 0 && worst != nil {
		return nil, worst
	}
	if len(d.Claims) == 0 && !d.onlyEmpty() {
		e := &UnrecognizedError{Importer: o.Importer, Damaged: damaged, Encrypted: needsPassword}
		for _, u := range d.Unclaimed {
			if len(e.Seen) == maxSeen {
				e.More++
				continue
			}
			e.Seen = append(e.Seen, u.Member.Name+": "+u.Reason)
		}
		return nil, e
	}
	return d, nil
}

// free are the members that nobody has taken and that the importer of this name may look at.
func free(members []archive.Member, taken map[int]bool, settled *settlement, name string) []archive.Member {
	out := make([]archive.Member, 0, len(members)-len(taken))
	for _, m := range members {
		if !taken[m.Index] && !settled.hides(m, name) {
			out = append(out, m)
		}
	}
	return out
}

func claimError(imp Importer, err error) error {
	return fmt.Errorf("recognize archive as %s: %w", imp.Name(), err)
}

// onlyEmpty tells whether there are members and all of them are empty lists.
func (d *Detection) onlyEmpty() bool {
	for _, u := range d.Unclaimed {
		if u.Reason != emptyMember {
			return false
		}
	}
	return len(d.Unclaimed) > 0
}
