package web

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/pamline/pamline/pipeline/erase"
)

// Eraser erases what an owner wants forgotten.
type Eraser interface {
	// FindErasure says what an erasure would reach. It changes nothing.
	FindErasure(ctx context.Context, owner string, t erase.Target) (erase.Preview, error)
	// Erase erases a target.
	Erase(ctx context.Context, owner string, t erase.Target, keepOriginals bool) (erase.Receipt, error)
}

// choreErase is the kind of the work that erases.
const choreErase = "erase"

// maxPreview is how many elements a preview names.
const maxPreview = 50

// targetOf reads what is to be erased from an address or a form.
func targetOf(q url.Values) (erase.Target, error) {
	t := erase.Target{Level: q.Get("level"), ID: q.Get("id")}
	if err := t.Check(); err != nil {
		return t, wrongError{"Choose a memory, a conversation or an import to erase, or everything."}
	}
	return t, nil
}

// namedTalk is a conversation of a preview.
type namedTalk struct{ ID, Title string }

// erasePreview shows what an erasure would reach, with the form that agrees to it.
func (p *Page) erasePreview(w http.ResponseWriter, v *visit) error {
	if p.o.Eraser == nil {
		return notFoundError{"Nothing can be erased here: use pamline erase."}
	}
	t, err := targetOf(v.URL.Query())
	if err != nil {
		return err
	}
	found, err := p.o.Eraser.FindErasure(v.Context(), v.owner, t)
	if errors.Is(err, erase.ErrUnknown) {
		return notFoundError{"There is nothing of that id to erase."}
	}
	if err != nil {
		return err
	}
	data := map[string]any{"Level": t.Level, "ID": t.ID, "Preview": found, "Owner": v.owner}
	if t.Level != erase.LevelOwner {
		if err := p.describeErasure(v, t, found, data); err != nil {
			return err
		}
	}
	p.render(w, v, http.StatusOK, "erase", "Erase", data)
	return nil
}

// describeErasure adds the names of what goes: the conversations, and the memories that come from
// nowhere else.
func (p *Page) describeErasure(v *visit, t erase.Target, found erase.Preview, data map[string]any) error {
	var talks []namedTalk
	for _, id := range slices.Sorted(maps.Keys(found.Conversations)) {
		if len(talks) == maxPreview {
			break
		}
		talks = append(talks, namedTalk{id, found.Conversations[id]})
	}
	data["Talks"], data["MoreTalks"] = talks, len(found.Conversations)-len(talks)
	c, err := v.shelf.catalog(v.Context(), true)
	if errors.Is(err, errNoStore) {
		return nil // the drop was never published
	}
	if err != nil {
		return err
	}
	goes := map[int]bool{}
	for id := range found.Conversations {
		for _, i := range c.told[id] {
			goes[i] = true
		}
	}
	if t.Level == erase.LevelMemory {
		at, ok := c.noteAt[t.ID]
		if !ok {
			return notFoundError{"There is no such memory."}
		}
		m, err := c.readMemory(v.Context(), &c.notes[at])
		if err != nil {
			return err
		}
		data["What"] = m.Content
		delete(goes, at)
	} else if at, ok := c.talkAt[t.ID]; ok {
		data["What"] = c.talks[at].Title
	}
	var names []toldNote
	all := 0
	for _, i := range slices.Sorted(maps.Keys(goes)) {
		m, err := c.readMemory(v.Context(), &c.notes[i])
		if err != nil {
			return err
		}
		if slices.ContainsFunc(conversationsOf(m), func(id string) bool { _, gone := found.Conversations[id]; return !gone }) {
			continue // it was said elsewhere, too
		}
		if all++; len(names) < maxPreview {
			names = append(names, toldNote{m.ID, m.Content, m.Status})
		}
	}
	data["Notes"], data["MoreNotes"] = names, all-len(names)
	return nil
}

// erase erases what the preview has shown.
func (p *Page) erase(w http.ResponseWriter, v *visit) error {
	if p.o.Eraser == nil {
		return notFoundError{"Nothing can be erased here: use pamline erase."}
	}
	if err := v.readForm(w); err != nil {
		return err
	}
	t, err := targetOf(v.PostForm)
	if err != nil {
		return err
	}
	if t.Level == erase.LevelOwner && v.PostForm.Get("owner") != v.owner {
		return wrongError{"Nothing was erased: write the name of the owner, " + v.owner + ", to agree."}
	}
	if v.PostForm.Get("agree") != "yes" {
		return wrongError{"Nothing was erased. Erasing cannot be undone: tick the box to confirm."}
	}
	keep := v.PostForm.Get("keep") == "yes"
	running := p.chores.start(v.owner, choreErase, func(ctx context.Context) (any, error) { return p.runErasure(ctx, v.owner, t, keep) })
	running.wait(v.Context(), p.o.Patience.Work)
	seeOther(w, v, "erase/result")
	return nil
}

// runErasure erases a target, and then whatever this process keeps of it.
func (p *Page) runErasure(ctx context.Context, owner string, t erase.Target, keep bool) (r erase.Receipt, err error) {
	if r, err = p.o.Eraser.Erase(ctx, owner, t, keep); err != nil {
		return r, err
	}
	s := p.shelves.of(owner)
	if err := s.forget(); err != nil {
		return r, err
	}
	if t.Level != erase.LevelOwner {
		if err := s.makeCurrent(ctx); err != nil && !errors.Is(err, errNoStore) {
			return r, err
		}
	}
	return r, p.changed(ctx, owner)
}

// erased shows the running erasure, or its receipt.
func (p *Page) erased(w http.ResponseWriter, v *visit) error {
	last := p.chores.of(v.owner, choreErase)
	if last == nil {
		return notFoundError{"Nothing was erased since this page was opened."}
	}
	if last.isRunning() {
		p.render(w, v, http.StatusOK, "erased", "Erasing", map[string]any{"Reload": true})
		return nil
	}
	if last.err != nil {
		text, hint := last.err.Error(), "What was erased so far stays so. Erase it again: that goes on from there."
		p.render(w, v, http.StatusOK, "erased", "Erasing failed", map[string]any{"Failed": text, "Hint": hint})
		return nil
	}
	receipt, _ := last.result.(erase.Receipt)
	p.render(w, v, http.StatusOK, "erased", "Erased", map[string]any{"Receipt": receipt})
	return nil
}
