package inspect

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/branches"
)

// ErrNoBranch is returned for the number of a branch that a conversation does not have.
var ErrNoBranch = errors.New("there is no such branch")

// Reading is one branch of a conversation, for a person to read.
type Reading struct {
	ID       string  `json:"id"`
	Title    *string `json:"title"`
	Provider string  `json:"provider"`
	Created  string  `json:"created_at,omitempty"`
	Updated  string  `json:"updated_at,omitempty"`
	// Branch is the number, from 1, of the branch that is shown, of Branches. Others starts each of
	// them that parts from it.
	Branch   int      `json:"branch"`
	Branches int      `json:"branches"`
	Messages []Spoken `json:"messages"`
	// Wanted is the message that was asked for; then only its neighbors are in Messages, Before and
	// After are how many more the branch has.
	Wanted string `json:"message,omitempty"`
	Before int    `json:"messages_before,omitempty"`
	After  int    `json:"messages_after,omitempty"`
}

// Spoken is one message.
type Spoken struct {
	ID      string `json:"id"`
	Role    string `json:"role"`
	Created string `json:"created_at,omitempty"`
	Model   string `json:"model,omitempty"`
	Thought bool   `json:"thought,omitempty"`
	// Alternative is the place, from 1, of the message among the Alternatives in its place; both
	// are 0 when there is only one. Parted are the first branches of all of them.
	Alternative  int              `json:"alternative,omitempty"`
	Alternatives int              `json:"alternatives,omitempty"`
	Parted       []int            `json:"alternative_branches,omitempty"`
	Pieces       []Piece          `json:"content"`
	Tools        []Tool           `json:"tool_calls,omitempty"`
	Files        []Piece          `json:"attachments,omitempty"`
	Citations    []pamio.Citation `json:"citations,omitempty"`
}

// Piece is a text, or a file that is named: an image, audio, video or other file.
type Piece struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	Language string `json:"language,omitempty"`
	Name     string `json:"name,omitempty"`
	Ref      string `json:"ref,omitempty"`
	MimeType string `json:"mime_type,omitempty"`
}

// Tool is a call of a tool.
type Tool struct {
	Name   string        `json:"name"`
	Input  pamio.RawJSON `json:"input,omitempty"`
	Output *string       `json:"output,omitempty"`
}

// neighbors is how many messages are shown before and after one that was asked for.
const neighbors = 2

// Read takes a branch of a conversation, by its number from 1. Branch 0 is the branch of the
// message that was asked for, else the one with the newest message.
func Read(t *Target, branch int) (*Reading, error) {
	c := t.Conversation
	tree := branches.Of(c)
	r := &Reading{
		ID: c.ID, Title: c.Title, Provider: c.Provider.Name, Created: known(c.Temporal.CreatedAt), Updated: known(c.Temporal.UpdatedAt),
		Branches: tree.Count(), Branch: branch, Messages: []Spoken{},
	}
	switch {
	case branch < 0 || branch > tree.Count():
		return nil, fmt.Errorf("read branch %d of conversation %s: %w: it has %d", branch, c.ID, ErrNoBranch, tree.Count())
	case tree.Count() == 0:
		return r, nil
	case branch == 0 && t.Message >= 0:
		r.Branch = tree.BranchOf(t.Message) + 1
	case branch == 0:
		r.Branch = newestBranch(c, tree) + 1
	}
	way := tree.Branch(r.Branch - 1)
	if t.Message >= 0 {
		r.Wanted = c.Messages[t.Message].ID
		if branch == 0 {
			way = r.near(way, t.Message)
		}
	}
	for _, i := range way {
		r.Messages = append(r.Messages, spoken(c, tree, i))
	}
	return r, nil
}

// near keeps a message and its neighbors.
func (r *Reading) near(way []int, message int) []int {
	at := 0
	for i, m := range way {
		if m == message {
			at = i
		}
	}
	from, to := max(0, at-neighbors), min(len(way), at+neighbors+1)
	r.Before, r.After = from, len(way)-to
	return way[from:to]
}

// newestBranch is the branch whose last message is the newest; of several, the last of the longest.
func newestBranch(c *pamio.Conversation, tree *branches.Tree) (best int) {
	last, length := "", 0
	for n := range tree.Count() {
		at := c.Messages[tree.Leaf(n)].CreatedAt
		if at < last {
			continue
		}
		if long := tree.Length(n); at > last || long >= length {
			best, last, length = n, at, long
		}
	}
	return best
}

func spoken(c *pamio.Conversation, tree *branches.Tree, i int) Spoken {
	m := &c.Messages[i]
	s := Spoken{ID: m.ID, Role: m.Role, Created: known(m.CreatedAt), Model: m.Model, Thought: m.IsThought, Pieces: []Piece{}, Citations: m.Citations}
	if all := tree.Alternatives(i); len(all) > 1 {
		s.Alternatives = len(all)
		for n, other := range all {
			if other == i {
				s.Alternative = n + 1
			}
			s.Parted = append(s.Parted, tree.BranchOf(other)+1)
		}
	}
	seen := map[string]bool{}
	if m.Content != nil {
		if m.Content.Text != nil {
			s.Pieces = append(s.Pieces, Piece{Type: "text", Text: *m.Content.Text})
		}
		for _, p := range m.Content.Parts {
			piece := Piece{Type: p.Type, Language: p.Language, Ref: p.Ref, MimeType: p.MimeType}
			if p.Text != nil {
				piece.Text = *p.Text
			}
			s.Pieces = append(s.Pieces, piece)
			seen[p.Ref] = p.Ref != ""
		}
	}
	for _, a := range m.Attachments {
		if a.Ref != "" && seen[a.Ref] {
			for n := range s.Pieces {
				if s.Pieces[n].Ref == a.Ref && s.Pieces[n].Name == "" {
					s.Pieces[n].Name = a.Name
				}
			}
			continue
		}
		s.Files = append(s.Files, Piece{Type: a.Type, Name: a.Name, Ref: a.Ref, MimeType: a.MimeType})
	}
	for _, call := range m.ToolCalls {
		s.Tools = append(s.Tools, Tool{Name: call.Name, Input: call.Input, Output: call.Output})
	}
	return s
}

// isEmpty tells whether there is nothing to show of a message.
func (s *Spoken) isEmpty() bool {
	return s.size() == 0 && len(s.Files) == 0 && len(s.Tools) == 0 && !s.hasFiles()
}

func (s *Spoken) hasFiles() bool {
	for _, p := range s.Pieces {
		if p.isFile() {
			return true
		}
	}
	return false
}

// size is the length of the texts in characters.
func (s *Spoken) size() (n int) {
	for _, p := range s.Pieces {
		n += utf8.RuneCountInString(p.Text)
	}
	return n
}

func (p *Piece) isFile() bool { return p.Type != "text" && p.Type != "code" }
