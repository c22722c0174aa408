package web

import (
	"cmp"
	"html/template"
	"net/http"

	"github.com/pamline/pamline/pamio"
)

// evidence is one place where a memory was said or kept, as metadata.evidence has it.
type evidence struct {
	Conversation string `json:"conversation"`
	Message      string `json:"message"`
	Start        int    `json:"start"`
	End          int    `json:"end"`
	Quote        string `json:"quote"`
	Member       string `json:"member"`
	Pointer      string `json:"pointer"`
	ObservedAt   string `json:"observed_at"`
}

// shownEvidence is evidence with its words and the address of the message.
type shownEvidence struct {
	Title, Path, Day, Provider, Member string
	Words                              template.HTML
}

// showEvidence prepares evidence from what the store itself has.
func (c *catalog) showEvidence(e *evidence) shownEvidence {
	s := shownEvidence{Day: dayOf(knownTime(e.ObservedAt)), Member: e.Member, Words: markSpans(e.Quote, []span{{0, len([]rune(e.Quote))}})}
	at, ok := c.talkAt[e.Conversation]
	if !ok {
		return s
	}
	s.Title, s.Provider = c.talks[at].Title, c.talks[at].Provider
	s.Title = cmp.Or(s.Title, "Conversation without a title")
	s.Path = "conversations/" + e.Conversation
	if e.Message != "" {
		s.Path = messagePath(e.Conversation, e.Message, e.mark())
	}
	return s
}

// mark is the part of the message, nil for the whole of it.
func (e *evidence) mark() *span {
	if e.End <= e.Start {
		return nil
	}
	return &span{e.Start, e.End}
}

// addContext shows the words with what stands around them, if the conversation can be read.
func (c *catalog) addContext(s *shownEvidence, e *evidence, open map[string]*pamio.Conversation) {
	at, ok := c.talkAt[e.Conversation]
	if !ok || e.Message == "" || e.End <= e.Start {
		return
	}
	doc, ok := open[e.Conversation]
	if !ok {
		var err error
		if doc, err = c.readConversation(&c.talks[at]); err != nil {
			doc = nil // the quote is shown without its context
		}
		open[e.Conversation] = doc
	}
	if doc == nil {
		return
	}
	for i := range doc.Messages {
		if m := &doc.Messages[i]; m.ID == e.Message {
			part, inner := around(m.PlainText(), span{e.Start, e.End}, 320)
			if inner.end > 0 {
				s.Words = markSpans(part, []span{inner})
			}
			return
		}
	}
}

// linkedNote is a memory that another one has a relation with.
type linkedNote struct {
	Words, ID, Content, Status, Created string
}

// relationWords are how a relation reads there and back.
var relationWords = map[string][2]string{
	"supersedes": {"Replaced", "Was replaced by"}, "supports": {"Supports", "Is supported by"}, "contradicts": {"Contradicts", "Contradicts"},
	"extends": {"Extends", "Is extended by"}, "derived_from": {"Was inferred from", "Is the basis of"}, "related_to": {"Is related to", "Is related to"},
}

// Limits of what the page of a memory shows.
const (
	maxEvidence = 20
	maxLinked   = 30
)

// memory shows a memory with its evidence, history and relations.
func (p *Page) memory(w http.ResponseWriter, v *visit) error {
	c, err := v.shelf.catalog(v.Context(), false)
	if err != nil {
		return err
	}
	at, ok := c.noteAt[v.PathValue("id")]
	if !ok {
		return notFoundError{"There is no such memory."}
	}
	n := &c.notes[at]
	m, err := c.readMemory(v.Context(), n)
	if err != nil {
		return err
	}
	meta := metadataOf(m)
	open := map[string]*pamio.Conversation{}
	var shown []shownEvidence
	for i := range meta.Evidence {
		if i == maxEvidence {
			break
		}
		s := c.showEvidence(&meta.Evidence[i])
		c.addContext(&s, &meta.Evidence[i], open)
		shown = append(shown, s)
	}
	linked, err := c.linked(v, n.ID)
	if err != nil {
		return err
	}
	history, err := c.historyOf(v, m, &meta)
	if err != nil {
		return err
	}
	p.render(w, v, http.StatusOK, "memory", shorten(60, m.Content), map[string]any{
		"Note": n, "Memory": m, "Meta": meta, "Evidence": shown, "More": max(meta.Count, int64(len(meta.Evidence))) - int64(len(shown)),
		"Linked": linked, "History": history, "Reason": reasonWords(meta.Reason), "Contradicts": c.contradictionOf(n.ID) != "", "CanErase": p.o.Eraser != nil,
	})
	return nil
}

// linked are the memories that a memory has relations with, except those of its history.
func (c *catalog) linked(v *visit, id string) (all []linkedNote, err error) {
	for _, r := range c.relations[id] {
		at, ok := c.noteAt[r.Other]
		if !ok || r.Type == "supersedes" || len(all) == maxLinked {
			continue
		}
		m, err := c.readMemory(v.Context(), &c.notes[at])
		if err != nil {
			return nil, err
		}
		words := relationWords[r.Type]
		l := linkedNote{Words: cmp.Or(words[0], r.Type), ID: r.Other, Content: m.Content, Status: m.Status}
		if r.Back {
			l.Words = cmp.Or(words[1], r.Type)
		}
		all = append(all, l)
	}
	return all, nil
}

// reasons are what a status reason means.
var reasons = map[string]string{
	"vanished": "the newest export of the provider has it no longer", "edit": "you changed it", "retracted": "you took it back", "unsupported": "no conversation says it any more",
}

func reasonWords(reason string) string { return cmp.Or(reasons[reason], reason) }
