package assemble

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pamline/pamline/normalize"
)

func (m *plainMemory) negative() bool {
	return slices.ContainsFunc(m.known, func(s plainSighting) bool { return s.c.Negative })
}

func (m *plainMemory) language() string {
	for _, s := range m.known {
		if s.c.Language != "" {
			return s.c.Language
		}
	}
	return ""
}

// replaced tells whether the person put another memory in its place, and nothing newer speaks for
// it.
func (m *plainMemory) replaced() bool {
	e := m.lastEdit()
	_, latest := m.span()
	return e != nil && e.Action == EditReplace && !stampOf(e.At, true).before(latest)
}

func (p *plainResolver) judge(c *plainComponent, retractions []plainSighting) {
	f := &c.fact
	var hit, gone stamp
	if c.rep.current {
		for _, r := range retractions {
			for _, m := range c.members {
				if takesBack(&r.c, m) && !r.at.before(c.latest) &&
					(hit.t == "" || r.at.before(hit) || r.at == hit && stampOf(r.c.ValidUntil, false).before(gone)) {
					hit, gone = r.at, stampOf(r.c.ValidUntil, false)
				}
			}
		}
	}
	slices.SortFunc(c.losesTo, func(a, b loss) int {
		return cmp.Or(a.order().compare(b.order()), strings.Compare(a.to.rep.id, b.to.rep.id), a.until.compare(b.until))
	})
	f.From, f.Until = cmp.Or(c.from.String(), c.started.String()), c.until.String()
	listed, newest := c.rep.current, stamp{}
	for _, m := range c.members {
		for i := range m.edits {
			listed = listed && !affirms(&m.edits[i])
		}
		for _, s := range m.seen {
			last := p.lists[s.e.Listing]
			stood := stampOf(cmp.Or(s.e.ListedAt, s.e.ObservedAt), false)
			listed = listed && s.e.Listing != "" && stood.t != "" && stood.before(last)
			if newest.before(last) {
				newest = last
			}
		}
	}
	changed := stamp{}
	switch {
	case c.removed:
		changed = stampOf(c.edit.At, true)
		f.Reason, f.StatusBy = "edit", changed.String()
		switch c.edit.Action {
		case EditRetract:
			f.Status = "retracted"
		case EditArchive:
			f.Status = "archived"
		default:
			n := p.memory(normalize.Candidate{Type: c.edit.Type, Content: c.edit.Content}).comp
			f.Status, f.SupersededBy, f.Until = "superseded", n.rep.id, changed.String()
			p.relate(n.rep.id, c.rep.id, "supersedes")
		}
	case !c.rep.current:
		f.Status, f.Reason = "archived", "no-evidence"
	case hit.t != "":
		f.Status, f.Reason, f.StatusBy, changed = "retracted", "retracted", hit.String(), hit
		f.Until = cmp.Or(gone.String(), f.Until)
	case len(c.losesTo) > 0:
		l := c.losesTo[0]
		if l.reason == "ended" {
			f.Status, f.Reason, f.SupersededBy, f.Until, changed = "superseded", l.reason, l.to.rep.id, l.until.String(), l.at
			if !c.first.real().before(l.until) {
				f.Until = l.at.String()
			}
			p.relate(l.to.rep.id, c.rep.id, "supersedes")
			break
		}
		f.Status, f.Reason, f.SupersededBy, f.Until, changed = "superseded", l.reason, l.to.rep.id, l.since.String(), l.to.latest
		c.followed = l.followed
	case listed:
		f.Status, f.Reason, changed = "deprecated", "vanished", newest
	case c.until.t != "" && !p.newest.before(c.until) && (c.from.t == "" || c.first.real().before(c.until.real())):
		f.Status, f.Reason, changed = "archived", "over", c.until
	default:
		f.Status = "active"
	}
	for _, m := range c.members {
		for _, s := range m.known {
			for _, d := range s.c.DerivedFrom {
				if p.memories[d] != nil {
					p.relate(m.id, d, "derived_from")
				}
			}
		}
		if m != c.rep {
			p.relate(m.id, c.rep.id, "supports")
		}
	}
	if f.Updated = c.latest.String(); c.latest.real().before(changed.real()) {
		f.Updated = changed.String()
	}
}
