package inspect

import (
	"context"
	"fmt"

	"github.com/pamline/pamline/pamio"
)

// MaxLinked is how many memories Why shows that a memory has a relation with.
const MaxLinked = 20

// Linked is a memory that another one has a relation with.
type Linked struct {
	// Relation is its type (PAM §13.2); Back tells that it leads from this memory to the one in
	// question.
	Relation string `json:"relation"`
	Back     bool   `json:"back,omitempty"`
	ID       string `json:"id"`
	Status   string `json:"status,omitempty"`
	Content  string `json:"content,omitempty"`
	Created  string `json:"created_at,omitempty"`
}

// ways are how a relation reads from the memory in question, there and back.
var ways = map[string][2]string{
	"supersedes":   {"replaced", "was replaced by"},
	"supports":     {"supports", "is supported by"},
	"contradicts":  {"contradicts", "contradicts"},
	"extends":      {"extends", "is extended by"},
	"derived_from": {"was inferred from", "is the basis of"},
	"related_to":   {"is related to", "is related to"},
}

// words are those of a relation as it is seen from the memory in question.
func (l *Linked) words() string {
	way, ok := ways[l.Relation]
	switch {
	case !ok:
		return l.Relation
	case l.Back:
		return way[1]
	}
	return way[0]
}

// link finds the relations of the memory, and what stands at their other ends.
func (r *Reasons) link(ctx context.Context, b *pamio.Bundle) error {
	at := map[string][]int{}
	err := readStore(b, pamio.Visitor{Relation: func(e pamio.Element) error {
		rel, err := pamio.ParseRelation(e.Raw)
		if err != nil || rel.From != r.ID && rel.To != r.ID {
			return ctx.Err()
		}
		if r.LinkedTotal++; len(r.Linked) == MaxLinked {
			return nil
		}
		l := Linked{Relation: rel.Type, ID: rel.To}
		if l.Back = rel.To == r.ID; l.Back {
			l.ID = rel.From
		}
		at[l.ID] = append(at[l.ID], len(r.Linked))
		r.Linked = append(r.Linked, l)
		return ctx.Err()
	}})
	if err != nil || len(at) == 0 {
		return err
	}
	return readStore(b, pamio.Visitor{Memory: func(e pamio.Element) error {
		m, err := pamio.ParseMemory(e.Raw)
		if err != nil {
			return ctx.Err()
		}
		for _, i := range at[m.ID] {
			l := &r.Linked[i]
			l.Status, l.Content = m.Status, m.Content
			if m.Temporal.CreatedAt != unknownTime {
				l.Created = m.Temporal.CreatedAt
			}
		}
		return ctx.Err()
	}})
}

func readStore(b *pamio.Bundle, v pamio.Visitor) error {
	f, err := b.OpenStore()
	if err != nil {
		return err
	}
	defer f.Close()
	if err := pamio.ReadStore(f, v); err != nil {
		return fmt.Errorf("read store: %w", err)
	}
	return nil
}
