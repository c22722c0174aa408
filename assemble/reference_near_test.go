package assemble

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// components joins the memories that say the same.
func (p *plainResolver) components() []*plainComponent {
	parent := map[string]string{}
	var root func(id string) string
	root = func(id string) string {
		if parent[id] != id {
			return root(parent[id])
		}
		return id
	}
	for _, id := range p.ids {
		m := p.memories[id]
		parent[id] = id
		m.known = distinct(m.seen)
		m.current = len(m.seen) > 0 || affirms(m.lastEdit())
		if len(m.seen) == 0 {
			m.known = distinct(m.past)
		}
		m.content = m.known[0].c.Content
	}
	for _, id := range p.ids {
		for _, to := range p.ids {
			a, b := p.memories[id], p.memories[to]
			if a.current && b.current && p.same(a, b) {
				parent[root(id)] = root(to)
			}
		}
	}
	groups := map[string]*plainComponent{}
	var out []*plainComponent
	for _, id := range p.ids {
		r := root(id)
		if groups[r] == nil {
			groups[r] = &plainComponent{}
			out = append(out, groups[r])
		}
		m := p.memories[id]
		m.comp = groups[r]
		m.comp.members = append(m.comp.members, m)
	}
	for _, c := range out {
		slices.SortFunc(c.members, func(a, b *plainMemory) int {
			if x, y := a.replaced(), b.replaced(); x != y {
				if x {
					return 1
				}
				return -1
			}
			x, _ := a.span()
			y, _ := b.span()
			if x != y {
				if x.asOf, y.asOf = false, false; x == y {
					return strings.Compare(a.id, b.id)
				}
				if y.t == "" || x.t != "" && x.before(y) {
					return -1
				}
				return 1
			}
			return strings.Compare(a.id, b.id)
		})
		c.rep = c.members[0]
		c.negative = c.rep.negative()
		for _, m := range c.members {
			first, latest := m.span()
			if first.t != "" && (c.first.t == "" || first.earlier(c.first)) {
				c.first = first
			}
			if c.latest.before(latest) {
				c.latest = latest
			}
			c.slot = plainSlot(c.slot, m.slot())
			for _, s := range m.known {
				c.event = c.event || s.c.Event
				if from := stampOf(s.c.ValidFrom, false); from.t != "" && (c.from.t == "" || from.before(c.from)) {
					c.from = from
				}
				if until := stampOf(s.c.ValidUntil, false); c.until.before(until) {
					c.until = until
				}
			}
			if e := m.lastEdit(); e != nil && (c.edit == nil || laterEdit(e, c.edit)) {
				c.edit = e
			}
		}
		if e := c.edit; e != nil {
			c.removed = e.Action == EditArchive || (e.Action == EditRetract || e.Action == EditReplace) && !stampOf(e.At, true).before(c.latest)
		}
	}
	return out
}

// same tells whether two memories say the same.
func (p *plainResolver) same(a, b *plainMemory) bool {
	x, y := a.slot(), b.slot()
	if a.negative() != b.negative() {
		return false
	}
	if x.Attribute != "" && y.Attribute != "" {
		return x.Attribute == y.Attribute && x.Value == y.Value
	}
	if l, m := a.language(), b.language(); a.typ != b.typ || l != m && l != "" && m != "" {
		return false
	}
	v, w := p.vectors[a.id], p.vectors[b.id]
	near := v != nil && w != nil && plainCosine(v, w) >= .92
	return nearTexts(a.content, b.content, !near)
}

var (
	digits = regexp.MustCompile(`\d+`)
	denial = regexp.MustCompile(`\b([Nn]ot|without)\b`) // there are no others in the contents
	word   = regexp.MustCompile(`\w+`)
)

// plainNames are the capitalised words but the first; no content here has a second sentence.
func plainNames(s string) (names []string) {
	for _, w := range word.FindAllString(s, -1)[1:] {
		if w[0] >= 'A' && w[0] <= 'Z' {
			names = append(names, strings.ToLower(w))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func plainPieces(s string) map[string]bool {
	set := map[string]bool{}
	r := []rune(" " + normalize.FoldValue(s) + " ")
	for i := 0; i+3 <= len(r); i++ {
		set[string(r[i:i+3])] = true
	}
	return set
}

// nearTexts tells whether two contents are near-duplicates; wording false leaves the wording out of
// it.
func nearTexts(a, b string, wording bool) bool {
	if !slices.Equal(digits.FindAllString(a, -1), digits.FindAllString(b, -1)) || !slices.Equal(denial.FindAllString(a, -1), denial.FindAllString(b, -1)) ||
		!slices.Equal(plainNames(a), plainNames(b)) {
		return false
	}
	x, y := plainPieces(a), plainPieces(b)
	both := 0
	for k := range x {
		if y[k] {
			both++
		}
	}
	return !wording || float64(both) >= .9*float64(len(x)+len(y)-both)
}

func plainCosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// pickVectors keeps those of the model that most memories have one of.
func (p *plainResolver) pickVectors(vectors []Vector) {
	p.vectors = map[string][]float32{}
	models := map[string]map[string][]float32{}
	hash := func(m *plainMemory) string {
		if len(m.seen) > 0 {
			return pamio.ContentHash(m.seen[0].c.Content)
		}
		return pamio.ContentHash(m.past[0].c.Content)
	}
	for _, id := range p.ids {
		for _, v := range vectors {
			if v.Hash != hash(p.memories[id]) {
				continue
			}
			if models[v.Model] == nil {
				models[v.Model] = map[string][]float32{}
			}
			models[v.Model][id] = v.Values
		}
	}
	best := ""
	for m := range models {
		if best == "" || len(models[m]) > len(models[best]) || len(models[m]) == len(models[best]) && m < best {
			best = m
		}
	}
	if best != "" {
		p.vectors = models[best]
	}
}
