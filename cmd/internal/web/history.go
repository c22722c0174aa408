package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/edit"
)

// event is something that happened to a memory.
type event struct {
	At, Words string
	// Path and Text are what the event leads to: a conversation, or another memory.
	Path, Text string
	Status     string
	// Undo is the edit that can be undone.
	Undo string
}

// maxEvents is how many places of evidence a history names.
const maxEvents = 12

// editWords are what a person did to a memory.
var editWords = map[string]string{
	assemble.EditConfirm: "You confirmed it", assemble.EditRetract: "You said that it is not true any more", assemble.EditArchive: "You archived it", assemble.EditAdd: "You added it",
}

// edits are the owner's changes by hand. They are written once, so only new ones are read.
func (s *shelf) edits(ctx context.Context) ([]assemble.Edit, error) {
	s.editing.Lock()
	defer s.editing.Unlock()
	more, err := edit.List(ctx, s.store, s.owner, len(s.made))
	if err != nil {
		return nil, err
	}
	s.made = append(s.made, more...)
	return slices.Clip(s.made), nil
}

// historyOf is what happened to a memory, the earliest first.
func (c *catalog) historyOf(v *visit, m *pamio.Memory, meta *noteMeta) ([]event, error) {
	list, err := v.shelf.edits(v.Context())
	if err != nil {
		return nil, err
	}
	events := c.sayings(meta)
	byHand := map[string]bool{}
	own := edit.Of(list, m.ID)
	for i, e := range own {
		one := event{At: e.At, Words: editWords[e.Action]}
		other := ""
		switch {
		case e.Action == assemble.EditReplace && e.Memory == m.ID:
			one.Words, other = "You corrected it", edit.Made(e)
		case e.Action == assemble.EditReplace:
			one.Words, other = "You wrote it, to correct", e.Memory
		case e.Action == assemble.EditAccess:
			one.Words = accessWords(e.Access)
		}
		if byHand[other] = true; other != "" {
			if err := c.nameNote(v, &one, other); err != nil {
				return nil, err
			}
		}
		if i == len(own)-1 {
			one.Undo = e.ID
		}
		events = append(events, one)
	}
	replaced, err := c.replacements(v, m, byHand)
	if err != nil {
		return nil, err
	}
	events = append(events, replaced...)
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.At, b.At) })
	return events, nil
}

// sayings are the times at which a memory was said.
func (c *catalog) sayings(meta *noteMeta) (events []event) {
	said := slices.Clone(meta.Evidence)
	slices.SortStableFunc(said, func(a, b evidence) int { return cmp.Compare(a.ObservedAt, b.ObservedAt) })
	for i := range said {
		e := &said[i]
		if e.Conversation == "" && e.Member == "" {
			continue // it was made by hand
		}
		s := c.showEvidence(e)
		one := event{At: knownTime(e.ObservedAt), Words: "Said again", Path: s.Path, Text: cmp.Or(s.Title, s.Member)}
		switch {
		case len(events) == 0 && e.Conversation != "":
			one.Words = "Said first"
		case e.Conversation == "":
			one.Words = "Kept by the provider"
		}
		if events = append(events, one); len(events) == maxEvents {
			break
		}
	}
	return events
}

// replacements are the memories that a memory took the place of, or that took its place.
func (c *catalog) replacements(v *visit, m *pamio.Memory, known map[string]bool) (events []event, err error) {
	for _, r := range c.relations[m.ID] {
		at, ok := c.noteAt[r.Other]
		if !ok || r.Type != "supersedes" || known[r.Other] || len(events) == maxLinked {
			continue
		}
		one := event{At: knownTime(m.Temporal.CreatedAt), Words: "Took the place of"}
		if r.Back {
			one = event{At: c.notes[at].Created, Words: "Was replaced by"}
		}
		if err := c.nameNote(v, &one, r.Other); err != nil {
			return nil, err
		}
		events = append(events, one)
	}
	return events, nil
}

// nameNote makes an event lead to a memory, if the store has it.
func (c *catalog) nameNote(v *visit, e *event, id string) error {
	at, ok := c.noteAt[id]
	if !ok {
		return nil
	}
	m, err := c.readMemory(v.Context(), &c.notes[at])
	if err != nil {
		return err
	}
	e.Path, e.Text, e.Status = "memories/"+id, m.Content, m.Status
	return nil
}

func accessWords(a *assemble.AccessEdit) string {
	switch {
	case a == nil:
	case a.Exportable != nil && !*a.Exportable:
		return "You keep it out of exports"
	case a.Exportable != nil:
		return "You allowed it in exports"
	case a.Visibility == "private":
		return "You made it private"
	}
	return "You changed who may see it"
}

// undo takes back a change of a memory: the one that the form names, else the last.
func (p *Page) undo(w http.ResponseWriter, v *visit) error {
	if err := v.readForm(w); err != nil {
		return err
	}
	id := v.PathValue("id")
	list, err := v.shelf.edits(v.Context())
	if err != nil {
		return err
	}
	own := edit.Of(list, id)
	if wanted := v.PostForm.Get("edit"); wanted != "" {
		own = slices.DeleteFunc(own, func(e assemble.Edit) bool { return e.ID != wanted })
	}
	if len(own) == 0 {
		return wrongError{"There is no change to undo: it was undone before."}
	}
	last := own[len(own)-1]
	e := edit.Undo(last)
	e.ID, e.At = p.o.NewID(), pamio.FormatTime(p.o.Now())
	if _, err := edit.Apply(v.Context(), p.o.Store, p.o.Client, v.owner, e); err != nil {
		return err
	}
	if err := p.changed(v.Context(), v.owner); err != nil {
		return err
	}
	c, err := v.shelf.catalog(v.Context(), true)
	if err != nil {
		return err
	}
	if back := backOf(v); back != "" {
		seeOther(w, v, "%s?notice=undo", back)
		return nil
	}
	if _, ok := c.noteAt[id]; !ok {
		id = cmp.Or(last.Memory, id)
	}
	if _, ok := c.noteAt[id]; !ok {
		seeOther(w, v, "memories?notice=undo")
		return nil
	}
	seeOther(w, v, "memories/%s?notice=undo", url.PathEscape(id))
	return nil
}

// backOf is the list that a form goes back to, "" for the memory itself.
func backOf(v *visit) string {
	if back := v.PostForm.Get("back"); back == "review" || back == "memories" {
		return back
	}
	return ""
}
