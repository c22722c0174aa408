package web

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/cmd/internal/inspect"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/branches"
)

// shownMessage is a message of a conversation, as the page shows it.
type shownMessage struct {
	inspect.Spoken
	Anchor string
	// Folded: it is a thought, or said by the system or a tool.
	Folded bool
	// Marked is the text with the evidence of a memory marked in it, nil if it is shown as it is.
	Marked         template.HTML
	Previous, Next int
	// Before is the anchor of the message before, and BeforeID its id: other branches have it, too.
	Before, BeforeID string
	// Told are the memories that the message is evidence of.
	Told []toldNote
}

// toldNote is a memory beside the message that it comes from.
type toldNote struct{ ID, Content, Status string }

// anchorOf is the place of a message in a page.
func anchorOf(message string) string { return "m-" + message }

// messagePath is the address of a message, with a part of its text marked.
func messagePath(conversation, message string, mark *span) string {
	q := url.Values{"message": {message}}
	if mark != nil {
		q.Set("mark", fmt.Sprintf("%d-%d", mark.start, mark.end))
	}
	return "conversations/" + url.PathEscape(conversation) + "?" + q.Encode() + "#" + url.PathEscape(anchorOf(message))
}

// conversation shows one branch of a conversation.
func (p *Page) conversation(w http.ResponseWriter, v *visit) error {
	c, err := v.shelf.catalog(v.Context(), false)
	if err != nil {
		return err
	}
	at, ok := c.talkAt[v.PathValue("id")]
	if !ok {
		return notFoundError{"There is no such conversation."}
	}
	t := &c.talks[at]
	doc, err := c.readConversation(t)
	if err != nil {
		return err
	}
	q := v.URL.Query()
	branch, wanted := 0, q.Get("message")
	if n, err := strconv.Atoi(q.Get("branch")); err == nil {
		branch = n
	}
	if i := slices.IndexFunc(doc.Messages, func(m pamio.Message) bool { return m.ID == wanted }); wanted != "" && i >= 0 && branch == 0 {
		branch = branches.Of(doc).BranchOf(i) + 1
	}
	reading, err := inspect.Read(&inspect.Target{Conversation: doc, Message: -1}, branch)
	if errors.Is(err, inspect.ErrNoBranch) {
		return notFoundError{"This conversation has no such branch."}
	}
	if err != nil {
		return err
	}
	marks, err := v.marks(c, t.ID)
	if err != nil {
		return err
	}
	mark := spanOf(q.Get("mark"))
	part, err := partOf(v, reading.Messages, wanted)
	if err != nil {
		return err
	}
	var shown []shownMessage
	for i, m := range reading.Messages[part.From:part.To] {
		one := showMessage(m, marks[m.ID], m.ID == wanted, mark)
		if at := part.From + i; at > 0 { // the message before is in all branches
			one.BeforeID = reading.Messages[at-1].ID
			one.Before = anchorOf(one.BeforeID)
		}
		shown = append(shown, one)
	}
	title := t.Title
	if title == "" {
		title = "Conversation without a title"
	}
	told := make([]toldNote, 0, len(c.told[t.ID]))
	for _, i := range c.told[t.ID] {
		n := &c.notes[i]
		m, err := c.readMemory(v.Context(), n)
		if err != nil {
			return err
		}
		if told = append(told, toldNote{n.ID, m.Content, n.Status}); len(told) == maxTold {
			break
		}
	}
	p.render(w, v, http.StatusOK, "conversation", title, map[string]any{"Talk": t, "Title": title, "Reading": reading, "Messages": shown, "Paging": part, "Told": told, "CanErase": p.o.Eraser != nil})
	return nil
}

// maxMessages is how many messages of a conversation are shown at once.
const maxMessages = 120

// partOf is the part of a conversation that a request asks for: that with a message, or that of a
// number.
func partOf(v *visit, messages []inspect.Spoken, wanted string) (paging, error) {
	number := 0
	if i := slices.IndexFunc(messages, func(m inspect.Spoken) bool { return m.ID == wanted }); wanted != "" && i >= 0 && !v.URL.Query().Has("page") {
		number = i/maxMessages + 1
	}
	return pageAt(v, len(messages), number, maxMessages)
}

// maxTold is how many memories of a conversation are shown beside it.
const maxTold = 40

// spanOf reads a mark of an address.
func spanOf(text string) span {
	from, to, ok := strings.Cut(text, "-")
	start, err := strconv.Atoi(from)
	end, err2 := strconv.Atoi(to)
	if !ok || err != nil || err2 != nil || start < 0 || end <= start {
		return span{}
	}
	return span{start, end}
}

// evidenceMark is a part of a message that a memory was found in.
type evidenceMark struct {
	span
	note toldNote
}

// marks are the places of the memories of a conversation, by message.
func (v *visit) marks(c *catalog, conversation string) (map[string][]evidenceMark, error) {
	all := map[string][]evidenceMark{}
	for n, i := range c.told[conversation] {
		if n == maxTold {
			break
		}
		m, err := c.readMemory(v.Context(), &c.notes[i])
		if err != nil {
			return nil, err
		}
		for _, e := range metadataOf(m).Evidence {
			if e.Conversation == conversation && e.Message != "" {
				all[e.Message] = append(all[e.Message], evidenceMark{span{e.Start, e.End}, toldNote{m.ID, m.Content, m.Status}})
			}
		}
	}
	return all, nil
}

// showMessage prepares a message. Texts are shown as Markdown; one that cannot be so with its mark
// is shown as it was written.
func showMessage(m inspect.Spoken, marks []evidenceMark, isWanted bool, mark span) shownMessage {
	showFiles(&m)
	s := shownMessage{Spoken: m, Anchor: anchorOf(m.ID), Folded: m.Thought || m.Role == "system" || m.Role == "tool"}
	for _, e := range marks {
		if !slices.Contains(s.Told, e.note) {
			s.Told = append(s.Told, e.note)
		}
	}
	if isWanted && mark.end > 0 && len(s.Pieces) > 0 && s.Pieces[0].Type == "text" {
		marked, ok := renderMarked(s.Pieces[0].Text, mark)
		if !ok {
			marked = template.HTML(`<span class="raw">`) + markSpans(s.Pieces[0].Text, []span{mark}) + "</span>"
		}
		s.Marked = marked
	}
	if s.Alternatives > 1 {
		if s.Alternative > 1 {
			s.Previous = s.Parted[s.Alternative-2]
		}
		if s.Alternative < s.Alternatives {
			s.Next = s.Parted[s.Alternative]
		}
	}
	return s
}
