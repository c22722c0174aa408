package inspect

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/pamio"
)

// maxHistory is how many memories a history has at most.
const maxHistory = 50

// Version is one of the memories that took each other's place.
type Version struct {
	ID      string `json:"id"`
	Content string `json:"content"`
	Status  string `json:"status"`
	Created string `json:"created_at,omitempty"`
	// Until is when it ceased to hold (PAM §7).
	Until string `json:"valid_until,omitempty"`
}

// trace follows the relations of replacement to all that the memory replaced, and all that replaced
// it, from the earliest to the latest.
func (r *Reasons) trace(ctx context.Context, b *pamio.Bundle) error {
	beside := map[string][]string{}
	err := readStore(b, pamio.Visitor{Relation: func(e pamio.Element) error {
		if rel, err := pamio.ParseRelation(e.Raw); err == nil && rel.Type == "supersedes" {
			beside[rel.From] = append(beside[rel.From], rel.To)
			beside[rel.To] = append(beside[rel.To], rel.From)
		}
		return ctx.Err()
	}})
	if err != nil || len(beside[r.ID]) == 0 {
		return err
	}
	chain := map[string]bool{r.ID: true}
	for open := []string{r.ID}; len(open) > 0 && len(chain) < maxHistory; open = open[1:] {
		for _, id := range beside[open[0]] {
			if !chain[id] && len(chain) < maxHistory {
				chain[id] = true
				open = append(open, id)
			}
		}
	}
	err = readStore(b, pamio.Visitor{Memory: func(e pamio.Element) error {
		if m, err := pamio.ParseMemory(e.Raw); err == nil && chain[m.ID] {
			r.History = append(r.History, Version{ID: m.ID, Content: m.Content, Status: m.Status, Created: known(m.Temporal.CreatedAt), Until: m.Temporal.ValidUntil})
		}
		return ctx.Err()
	}})
	slices.SortFunc(r.History, func(a, b Version) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	return err
}

// writeHistory shows the history to a person, when it has more than the relations tell.
func (r *Reasons) writeHistory(b *strings.Builder) {
	if len(r.History) < 3 {
		return
	}
	b.WriteString("\n  history\n")
	for _, v := range r.History {
		mark := " "
		if v.ID == r.ID {
			mark = "›"
		}
		until := ""
		if v.Until != "" {
			until = " to " + day(v.Until)
		}
		fmt.Fprintf(b, "  %s %.8s  %s%s  %s (%s)\n", mark, line(v.ID, width), day(v.Created), until, line(v.Content, 3*width), line(v.Status, width))
	}
}
