package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Result is a rendered text.
type Result struct {
	Text string
	// Written and LeftOut count memories: those of the text, and those for which there was no room
	// in any part that takes them.
	Written, LeftOut int
	// Limit is that of the smallest part from which a memory was left out, in characters.
	Limit int
}

// Text renders memories for a target of [Targets]. The list is sorted.
func Text(list []Memory, name string, o Options) (Result, error) {
	i := slices.IndexFunc(targets, func(t target) bool { return t.name == name })
	if i < 0 {
		return Result{}, fmt.Errorf("render memories: there is no form %q: use one of %s", name, strings.Join(Targets(), ", "))
	}
	t := targets[i]
	sortByRank(list)
	var b strings.Builder
	var r Result
	written := map[string]bool{}
	for _, p := range t.parts {
		r.renderPart(&b, p, list, written, t, o)
	}
	r.Written, r.LeftOut = len(written), len(list)-len(written)
	if r.LeftOut == 0 {
		r.Limit = 0
	}
	if b.Len() > 0 {
		r.Text = t.before + b.String() + t.after
	}
	return r, nil
}

// renderPart writes a part with what it has room for. A part without memories is left out.
func (r *Result) renderPart(b *strings.Builder, p part, list []Memory, written map[string]bool, t target, o Options) {
	var taken []Memory
	for _, m := range list {
		if p.takes(m) {
			taken = append(taken, m)
		}
	}
	limit := p.limit
	if o.Limit != 0 {
		limit = max(o.Limit, 0)
	}
	room := -1
	if limit > 0 {
		room = max(limit-length(p.intro), 0)
	}
	fits := fit(taken, room, func(m Memory) int { return length(p.line(m, o)) })
	if len(fits) < len(taken) && (r.Limit == 0 || limit < r.Limit) {
		r.Limit = limit
	}
	if len(fits) == 0 {
		return
	}
	if t.byDate {
		fits = slices.Clone(fits)
		slices.SortFunc(fits, func(x, y Memory) int { return cmp.Or(cmp.Compare(x.Date, y.Date), cmp.Compare(x.ID, y.ID)) })
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	if p.heading != "" {
		b.WriteString(p.heading + "\n\n")
	}
	b.WriteString(p.intro)
	for _, m := range fits {
		b.WriteString(p.line(m, o))
		written[m.ID] = true
	}
}
