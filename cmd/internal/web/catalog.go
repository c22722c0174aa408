package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
)

// catalog is what is known of one export without reading it again: what lists are filtered and
// sorted by, and where the elements are. It does not change.
type catalog struct {
	ctx    context.Context
	store  blob.Store
	head   state.Head
	owner  string
	bundle *pamio.Bundle
	// talks and notes are the conversations and memories, the newest first.
	talks []talk
	notes []note
	// talkAt and noteAt are their places by id; told are the memories of a conversation.
	talkAt, noteAt map[string]int
	told           map[string][]int
	relations      map[string][]relation
	choices        choices
	// periods are the activities by month and by day.
	months, days periods
}

// choices are what lists can be filtered by, with how often each is there.
type choices struct{ providers, types, statuses, platforms, topics []option }

// count counts what the filters and the timeline show, once for all requests.
func (c *catalog) count() {
	c.choices = choices{
		providers: optionsOf(c.talks, providerName, func(t *talk) []string { return []string{t.Provider} }),
		types:     optionsOf(c.notes, asIs, func(n *note) []string { return []string{n.Type} }),
		statuses:  optionsOf(c.notes, asIs, func(n *note) []string { return []string{n.Status} }),
		platforms: optionsOf(c.notes, providerName, func(n *note) []string { return []string{n.Provider} }),
		topics:    optionsOf(c.notes, asIs, func(n *note) []string { return n.Topics }),
	}
	c.months, c.days = periodsBy(c, len("2006-01")), periodsBy(c, len(time.DateOnly))
}

// talk is a conversation in lists.
type talk struct {
	ID, Title, Provider, Ref string
	Created, Updated         string
	Messages                 int64
	at                       int64
}

// note is a memory in lists; what it says is read from its place in the store.
type note struct {
	ID, Type, Status, Provider, Created, Reason string
	Topics                                      []string
	Confidence                                  float64
	Sensitive                                   bool
	at                                          int64
	offset                                      int64
	length                                      int
}

// relation leads from a memory to another one, or back.
type relation struct {
	Type, Other string
	Back        bool
}

// unknownTime is the time of what has none.
const unknownTime = "1970-01-01T00:00:00Z"

func knownTime(at string) string {
	if at == unknownTime {
		return ""
	}
	return at
}

func unixOf(at string) int64 {
	t, err := pamio.ParseTime(at)
	if err != nil || at == unknownTime {
		return 0
	}
	return t.Unix()
}

// readCatalog reads an export once.
func readCatalog(ctx context.Context, s blob.Store, owner string, head state.Head) (c *catalog, err error) {
	c = &catalog{ctx: ctx, store: s, head: head, owner: owner, talkAt: map[string]int{}, noteAt: map[string]int{}, told: map[string][]int{}, relations: map[string][]relation{}}
	if c.bundle, err = pamio.NewBundle(exportFS{ctx: ctx, store: s, owner: owner, head: head}); err != nil {
		return nil, err
	}
	f, err := c.bundle.OpenStore()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	words := interner{}
	said := map[string][]string{} // conversation → memories
	err = pamio.ReadStore(f, pamio.Visitor{
		Memory: func(e pamio.Element) error {
			m, err := pamio.ParseMemory(e.Raw)
			if err != nil {
				return fmt.Errorf("%s: %w: pamline validate says what is wrong with the store", e.Pointer, err)
			}
			c.notes = append(c.notes, noteOf(m, &e, words))
			for _, id := range conversationsOf(m) {
				said[id] = append(said[id], m.ID)
			}
			return nil
		},
		Relation: func(e pamio.Element) error {
			if r, err := pamio.ParseRelation(e.Raw); err == nil {
				c.relations[r.From] = append(c.relations[r.From], relation{words.of(r.Type), r.To, false})
				c.relations[r.To] = append(c.relations[r.To], relation{words.of(r.Type), r.From, true})
			}
			return nil
		},
		IndexEntry: func(e pamio.Element) error {
			x, err := pamio.ParseIndexEntry(e.Raw)
			if err != nil {
				return fmt.Errorf("%s: %w: pamline validate says what is wrong with the store", e.Pointer, err)
			}
			c.talks = append(c.talks, talkOf(x, words))
			return nil
		},
	})
	if err != nil {
		return nil, fmt.Errorf("read store: %w", err)
	}
	c.arrange(said)
	return c, nil
}

// arrange sorts the lists and finds the places by id.
func (c *catalog) arrange(said map[string][]string) {
	slices.SortFunc(c.talks, func(a, b talk) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.ID, b.ID)) })
	slices.SortFunc(c.notes, func(a, b note) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.ID, b.ID)) })
	for i := range c.talks {
		c.talkAt[c.talks[i].ID] = i
	}
	for i := range c.notes {
		c.noteAt[c.notes[i].ID] = i
	}
	for id, list := range said {
		for _, m := range list {
			c.told[id] = append(c.told[id], c.noteAt[m])
		}
		slices.Sort(c.told[id])
		c.told[id] = slices.Compact(c.told[id])
	}
	c.count()
}

func talkOf(x *pamio.IndexEntry, words interner) talk {
	t := talk{ID: x.ID, Provider: words.of(x.Platform), Created: knownTime(x.Temporal.CreatedAt), Updated: knownTime(x.Temporal.UpdatedAt)}
	if x.Title != nil {
		t.Title = *x.Title
	}
	if x.MessageCount != nil {
		t.Messages = *x.MessageCount
	}
	if x.Storage != nil && x.Storage.Type == "file" {
		t.Ref = x.Storage.Ref
	}
	t.at = max(unixOf(t.Created), unixOf(t.Updated))
	return t
}

func noteOf(m *pamio.Memory, e *pamio.Element, words interner) note {
	n := note{
		ID: m.ID, Type: words.of(m.Type), Status: words.of(m.Status), Provider: words.of(m.Provenance.Platform), Created: knownTime(m.Temporal.CreatedAt),
		at: unixOf(m.Temporal.CreatedAt), offset: e.Offset, length: len(e.Raw),
	}
	if m.Type == "custom" && m.CustomType != "" {
		n.Type = words.of(m.CustomType)
	}
	if m.Confidence != nil {
		n.Confidence = m.Confidence.Current
	}
	for _, tag := range m.Tags {
		if tag == "sensitive" {
			n.Sensitive = true
			continue
		}
		n.Topics = append(n.Topics, words.of(tag))
	}
	n.Reason = words.of(metadataOf(m).Reason)
	return n
}

// noteMeta is what the assembler keeps in the metadata of a memory.
type noteMeta struct {
	Evidence []evidence `json:"evidence"`
	Count    int64      `json:"evidence_count"`
	Reason   string     `json:"status_reason"`
	Inferred bool       `json:"inferred"`
	Rule     string     `json:"rule"`
}

// metadataOf reads the metadata of a memory. That of another maker may be anything.
func metadataOf(m *pamio.Memory) (meta noteMeta) {
	if m.Metadata != nil {
		if err := json.Unmarshal(m.Metadata, &meta); err != nil {
			return noteMeta{}
		}
	}
	return meta
}

// conversationsOf are the conversations that the evidence of a memory is in.
func conversationsOf(m *pamio.Memory) (ids []string) {
	for _, e := range metadataOf(m).Evidence {
		if e.Conversation != "" {
			ids = append(ids, e.Conversation)
		}
	}
	if m.Provenance.ConversationRef != "" {
		ids = append(ids, m.Provenance.ConversationRef)
	}
	return ids
}

// interner keeps each short text once.
type interner map[string]string

func (w interner) of(text string) string {
	if kept, ok := w[text]; ok {
		return kept
	}
	w[text] = text
	return text
}

// maxElement is the size of the largest element that is shown.
const maxElement = 4 << 20

// readMemory reads a memory from its place.
func (c *catalog) readMemory(ctx context.Context, n *note) (m *pamio.Memory, err error) {
	if n.length > maxElement {
		return nil, wrongError{"This memory is too large to be shown."}
	}
	key := state.ExportKey(c.owner, c.head.ExportID, ".json")
	rc, _, err := c.store.Get(ctx, key, blob.Range{Offset: n.offset, Length: int64(n.length)})
	if err != nil {
		return nil, fmt.Errorf("read memory: %w", err)
	}
	defer func() { err = errors.Join(err, rc.Close()) }()
	raw, err := io.ReadAll(io.LimitReader(rc, int64(n.length)))
	if err != nil {
		return nil, fmt.Errorf("read memory: %w", err)
	}
	return pamio.ParseMemory(raw)
}

// errDamagedTalk is the error of a conversation whose file is missing or not what it should be.
var errDamagedTalk = &statusError{http.StatusInternalServerError, "The file of this conversation is missing or damaged.", "pamline fsck says what happened, and pamline fsck --repair restores it."}

// maxConversation is the largest conversation that is shown.
const maxConversation = 256 << 20

// readConversation reads the file of a conversation.
func (c *catalog) readConversation(t *talk) (*pamio.Conversation, error) {
	if t.Ref == "" {
		return nil, notFoundError{"This conversation is listed, but its file is not in the store."}
	}
	raw, err := c.bundle.ReadFile(nil, t.Ref, maxConversation)
	if err != nil {
		return nil, errDamagedTalk
	}
	doc, err := pamio.ParseConversation(raw)
	if err != nil {
		return nil, errDamagedTalk
	}
	return doc, nil
}

// dayOf is the day of a time, "" for none.
func dayOf(at string) string {
	if len(at) < len(time.DateOnly) {
		return ""
	}
	return at[:len(time.DateOnly)]
}
