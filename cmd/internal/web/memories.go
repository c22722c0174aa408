package web

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// shownNote is a memory of a list with what it says and where it comes from.
type shownNote struct {
	note
	Content  string
	Evidence []shownEvidence
	// Concern says why a memory is to be reviewed.
	Concern string
}

// memories lists memories by their filters.
func (p *Page) memories(w http.ResponseWriter, v *visit) error {
	c, err := v.shelf.catalog(v.Context(), false)
	if err != nil {
		return err
	}
	q := v.URL.Query()
	since, until, err := bounds(v)
	if err != nil {
		return err
	}
	status := q.Get("status")
	if !q.Has("status") {
		status = "active"
	}
	var found []int
	for i := range c.notes {
		n := &c.notes[i]
		if n.isWanted(q.Get("type"), status, q.Get("provider"), q.Get("topic"), q.Get("sensitive")) && isWithin(n.at, since, until) {
			found = append(found, i)
		}
	}
	part, err := pageOf(v, len(found))
	if err != nil {
		return err
	}
	rows, err := c.showNotes(v.Context(), found[part.From:part.To])
	if err != nil {
		return err
	}
	p.render(w, v, http.StatusOK, "memories", "Memories", map[string]any{
		"Rows": rows, "Paging": part, "Query": q, "Status": status,
		"Types": choose(c.choices.types, q.Get("type")), "Statuses": choose(c.choices.statuses, status),
		"Providers": choose(c.choices.platforms, q.Get("provider")), "Topics": choose(c.choices.topics, q.Get("topic")),
	})
	return nil
}

// isWanted tells whether filters choose a memory. An empty one chooses all.
func (n *note) isWanted(kind, status, provider, topic, sensitive string) bool {
	return (kind == "" || n.Type == kind) && (status == "" || n.Status == status) && (provider == "" || n.Provider == provider) &&
		(topic == "" || slices.Contains(n.Topics, topic)) && (sensitive == "" || (sensitive == "yes") == n.Sensitive)
}

// showNotes reads the memories of a page.
func (c *catalog) showNotes(ctx context.Context, places []int) (rows []shownNote, err error) {
	for _, i := range places {
		n := &c.notes[i]
		m, err := c.readMemory(ctx, n)
		if err != nil {
			return nil, err
		}
		row := shownNote{note: *n, Content: m.Content}
		for _, e := range metadataOf(m).Evidence {
			row.Evidence = append(row.Evidence, c.showEvidence(&e))
			if len(row.Evidence) == 2 {
				break
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Limits of the review.
const (
	doubtful = 0.6
	newest   = 20
)

// review lists what a person should look at: contradictions, doubtful memories, then new ones.
func (p *Page) review(w http.ResponseWriter, v *visit) error {
	c, err := v.shelf.catalog(v.Context(), false)
	if err != nil {
		return err
	}
	concerns := map[int]string{}
	var groups [3][]int
	fresh := 0
	for i := range c.notes {
		n := &c.notes[i]
		if n.Status != "active" || n.Provider == "manual" {
			continue
		}
		switch {
		case c.contradictionOf(n.ID) != "":
			groups[0], concerns[i] = append(groups[0], i), "Contradicts: "+c.contradictionOf(n.ID)
		case n.Confidence > 0 && n.Confidence < doubtful:
			groups[1], concerns[i] = append(groups[1], i), "Doubtful: it may be misunderstood"
		case fresh < newest:
			fresh++
			groups[2], concerns[i] = append(groups[2], i), "New"
		}
	}
	found := slices.Concat(groups[0], groups[1], groups[2])
	part, err := pageOf(v, len(found))
	if err != nil {
		return err
	}
	rows, err := c.showNotes(v.Context(), found[part.From:part.To])
	if err != nil {
		return err
	}
	for i := range rows {
		concern := concerns[found[part.From+i]]
		if other, ok := strings.CutPrefix(concern, "Contradicts: "); ok {
			m, err := c.readMemory(v.Context(), &c.notes[c.noteAt[other]])
			if err != nil {
				return err
			}
			concern = "Contradicts “" + shorten(120, m.Content) + "”"
		}
		rows[i].Concern = concern
	}
	p.render(w, v, http.StatusOK, "review", "Review", map[string]any{"Rows": rows, "Paging": part, "Contradictory": len(groups[0]), "Doubtful": len(groups[1]), "New": len(groups[2])})
	return nil
}

// contradictionOf is an active memory that contradicts a memory, "" for none.
func (c *catalog) contradictionOf(id string) string {
	for _, r := range c.relations[id] {
		if at, ok := c.noteAt[r.Other]; ok && r.Type == "contradicts" && c.notes[at].Status == "active" {
			return r.Other
		}
	}
	return ""
}
