package convert

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/pamline/pamline/interop/mif"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// mifTypes are the MIF types of PAM's.
var mifTypes = map[string]string{
	"identity": "Observation", "fact": "Observation", "relationship": "Observation", "custom": "Observation", "preference": "Pattern", "instruction": "Pattern",
	"skill": "Learning", "goal": "Task", "context": "Context", "environment": "Context", "project": "Context",
}

// ErrTooLong is wrapped when a memory is longer than MIF allows.
var ErrTooLong = errors.New("MIF allows 100000 characters")

// mifOut converts a PAM bundle to a MIF document.
type mifOut struct {
	*survey
	o      Options
	report *Report
	// lists are the elements of each list of the document, by their numbers.
	lists map[string]*extsort.Sorter
	// joined are memories by their ids in MIF, each behind the ids that it is related to.
	joined *extsort.Sorter
	number uint64
	extra  uint64
}

// MIFFromPAM writes a PAM bundle as a MIF 1.0 document. What came from a MIF document becomes that
// document again.
func MIFFromPAM(ctx context.Context, b *pamio.Bundle, o Options, w io.Writer) (report *Report, err error) {
	c := &mifOut{o: o, report: newReport("pam", "mif"), lists: map[string]*extsort.Sorter{}, joined: extsort.New(o.Scratch, 32<<20), extra: 1 << 40}
	defer func() {
		for _, s := range c.lists {
			err = errors.Join(err, s.Close())
		}
		err = errors.Join(err, c.joined.Close())
	}()
	if c.survey, err = surveyStore(b, "mif"); err != nil {
		return nil, err
	}
	c.report.lose("memories marked exportable: false", int64(len(c.withheld)))
	if err := c.readBeside(b); err != nil {
		return nil, err
	}
	err = eachMemory(b, pamio.Visitor{}, func(e pamio.Element, m *pamio.Memory) error {
		if c.withheld[m.ID] {
			return ctx.Err()
		}
		if carried := carrierOf(m, "mif"); carried != nil {
			return c.addCarried(m, carried)
		}
		return errors.Join(c.addMemory(e, m), ctx.Err())
	})
	if err == nil {
		err = c.joinRelated()
	}
	if err != nil {
		return nil, err
	}
	return c.report, c.writeDocument(ctx, w)
}

// addElement adds an element to a list of the document.
func (c *mifOut) addElement(list string, n uint64, text []byte) error {
	s := c.lists[list]
	if s == nil {
		s = extsort.New(c.o.Scratch, 16<<20)
		c.lists[list] = s
	}
	return s.Add(binary.BigEndian.AppendUint64(nil, n), text)
}

// addNext adds an element behind those that the list has.
func (c *mifOut) addNext(list string, text []byte) error {
	c.number++
	return c.addElement(list, c.number, text)
}

// mifID is the id of a memory in MIF.
func mifID(id string) string {
	if u, err := uuid.Parse(id); err == nil && u.String() == id {
		return "mem_" + id
	}
	sum := sha256.Sum256([]byte(id))
	return "mem_" + hex.EncodeToString(sum[:16])
}

// keepElement keeps an element of the store beside the memories of the document.
func (c *mifOut) keepElement(list string, raw []byte) error {
	if c.o.Clean {
		c.report.lose(strings.TrimPrefix(list, "x_pam_"), 1)
		return nil
	}
	return c.addNext(list, compactText(raw))
}

// edgeTypes are the types of the edges of the graph that relations become, besides user_linked.
var edgeTypes = map[string]string{"related_to": "semantic_association", "extends": "semantic_association", "supports": "semantic_association", "derived_from": "causal"}

// addRelation makes an edge of a relation, and a reference of the memory that it begins with.
func (c *mifOut) addRelation(raw []byte) error {
	r, err := pamio.ParseRelation(raw)
	if err != nil || c.withheld[r.From] || c.withheld[r.To] {
		return err
	}
	from, to := mifID(r.From), mifID(r.To)
	if err := c.joined.Add([]byte(from+"\x00"+to), nil); err != nil {
		return err
	}
	weight := 1.0
	if r.Confidence != nil {
		weight = *r.Confidence
	}
	edge, err := json.Marshal(map[string]any{"source": from, "target": to, "weight": weight, "type": cmp.Or(edgeTypes[r.Type], "user_linked")})
	if err == nil {
		err = c.addNext(mif.Edges, edge)
	}
	if err != nil {
		return err
	}
	return c.keepElement(mif.PAMRelations, raw)
}

// readBeside reads relations, index, documents and embeddings, which ride along.
func (c *mifOut) readBeside(b *pamio.Bundle) error {
	refs := map[string]bool{}
	err := eachMemory(b, pamio.Visitor{
		Relation: func(e pamio.Element) error { return c.addRelation(e.Raw) },
		IndexEntry: func(e pamio.Element) error {
			entry, err := pamio.ParseIndexEntry(e.Raw)
			if err != nil {
				return err
			}
			if entry.Storage != nil && entry.Storage.Type == "file" {
				refs[path.Clean(entry.Storage.Ref)] = true
			}
			return c.keepElement(mif.PAMIndex, e.Raw)
		},
	}, nil)
	if err != nil || b.StoreName() != pamio.StoreFile {
		return err
	}
	for file, err := range b.Conversations(mif.MaxRecord / 2) {
		if err != nil && file.Entry == nil {
			return err
		}
		if err != nil || file.Raw == nil {
			c.report.lose("documents of conversations that cannot be read", 1)
			continue
		}
		// A string goes unchanged through programs that write JSON in another way: files of
		// conversations have digests in their names.
		line, err := json.Marshal(document{file.Entry.ID, path.Clean(file.Entry.Storage.Ref), string(file.Raw)})
		if err == nil {
			err = c.keepElement(mif.PAMDocuments, line)
		}
		if err != nil {
			return err
		}
	}
	if f, err := b.OpenEmbeddings(); err == nil {
		err := pamio.ReadEmbeddings(f, -1, func(e pamio.Element) error {
			if v, err := pamio.ParseEmbedding(e.Raw); err != nil || c.withheld[v.MemoryID] {
				return err
			}
			return c.keepElement(mif.PAMEmbeddings, e.Raw)
		})
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return eachFile(b, refs, func(_ string, n int, _ []byte) error {
		if n == 0 {
			c.report.lose("files of messages", 1)
		}
		return nil
	})
}

// mifMemory is a memory in MIF 1.0.
type mifMemory struct {
	ID        string         `json:"id"`
	Content   string         `json:"content"`
	Type      string         `json:"type"`
	CreatedAt string         `json:"created_at"`
	UpdatedAt string         `json:"updated_at,omitempty"`
	Tags      []string       `json:"tags"`
	Source    map[string]any `json:"source,omitempty"`
	XPAM      *shadow        `json:"x_pam,omitempty"`
	// Redactions say what was taken out of the content.
	Redactions []redaction `json:"redactions,omitempty"`
}

// redaction is a span of the content that was replaced, in code points of what is written.
type redaction struct {
	Type           string `json:"type"`
	OriginalLength int    `json:"original_length"`
	Position       [2]int `json:"position"`
}

func newMIFMemory(m *pamio.Memory) *mifMemory {
	out := &mifMemory{ID: mifID(m.ID), Content: m.Content, Type: mifTypes[m.Type], CreatedAt: m.Temporal.CreatedAt, UpdatedAt: m.Temporal.UpdatedAt, Tags: m.Tags}
	if out.Type == "" {
		out.Type = "Observation"
	}
	if out.Tags == nil {
		out.Tags = []string{}
	}
	return out
}

// redact takes personal data out of what a record says, its tags included.
func (c *mifOut) redact(out *mifMemory) {
	var spans []mif.Span
	out.Content, spans = mif.Redact(out.Content)
	for _, s := range spans {
		out.Redactions = append(out.Redactions, redaction{s.Type, s.OriginalLength, [2]int{s.Start, s.End}})
		c.report.lose("redacted "+s.Type, 1)
	}
	tags := []string{}
	for _, tag := range out.Tags {
		if _, found := mif.Redact(tag); len(found) > 0 {
			c.report.lose("redacted tags", 1)
			continue
		}
		tags = append(tags, tag)
	}
	out.Tags = tags
}

func (c *mifOut) addMemory(e pamio.Element, m *pamio.Memory) error {
	if n := len([]rune(m.Content)); n > 100_000 {
		return fmt.Errorf("convert memory %s: %w, and it has %d", m.ID, ErrTooLong, n)
	}
	out := newMIFMemory(m)
	if c.o.Redact {
		c.redact(out)
	}
	if m.Provenance.ConversationRef != "" {
		out.Source = map[string]any{"type": "conversation", "session_id": m.Provenance.ConversationRef, "agent": m.Provenance.Platform}
	}
	if c.o.Clean {
		c.report.lose("fields that MIF has no place for, in memories", 1)
	} else {
		d, err := jsonscan.Parse(e.Raw, 0)
		if err != nil {
			return err
		}
		out.XPAM = &shadow{Memory: withoutMember(d.Root(), "content"), Content: textDigest(m.Content)}
		if !c.sorted {
			n := int64(e.Index)
			out.XPAM.N = &n
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	c.extra++
	c.report.Written["memory"]++
	return c.joined.Add([]byte(out.ID+"\xff"), append(binary.BigEndian.AppendUint64(nil, c.extra), text...))
}

// joinRelated gives memories the ids of those that they are related to.
func (c *mifOut) joinRelated() error {
	var related []string
	last := ""
	for r, err := range c.joined.Sorted() {
		if err != nil {
			return err
		}
		id, to, isRelation := strings.Cut(strings.TrimSuffix(string(r.Key), "\xff"), "\x00")
		if id != last {
			related, last = nil, id
		}
		if isRelation {
			if len(related) == 0 || related[len(related)-1] != to {
				related = append(related, to)
			}
			continue
		}
		n, text := binary.BigEndian.Uint64(r.Value[:8]), r.Value[8:]
		if len(related) > 0 {
			list, err := json.Marshal(map[string]any{"related_memories": related, "related_todos": []string{}})
			if err != nil {
				return err
			}
			text = withMember(text, "relations", list)
		}
		if err := c.addElement(mif.Memories, n, text); err != nil {
			return err
		}
	}
	return nil
}

// addItem adds a record that came from a MIF document.
func (c *mifOut) addItem(kind string, n int64, text []byte) error {
	c.report.Written[kind]++
	for list, of := range mifLists {
		if of == kind {
			return c.addElement(list, uint64(max(n, 0)), text)
		}
	}
	return fmt.Errorf("convert memory: %q is no kind of a MIF record", kind)
}

// addCarried writes a record of a MIF document again, with the changes of its memory laid over it.
func (c *mifOut) addCarried(m *pamio.Memory, carried *carrier) error {
	if carried.Kind == "document" {
		return nil
	}
	was := projectMIF(carried.Kind, []byte(carried.Raw))
	changes := map[string]any{}
	var edited []string
	if m.Content != was.Content {
		changes["content"] = m.Content
		edited = append(edited, "content")
	}
	if !slices.Equal(m.Tags, was.Tags) {
		changes["tags"] = m.Tags
		edited = append(edited, "tags")
	}
	if m.Temporal.UpdatedAt != was.Temporal.UpdatedAt && m.Temporal.UpdatedAt != "" {
		changes["updated_at"] = m.Temporal.UpdatedAt
		edited = append(edited, "updated_at")
	}
	if m.Status != was.Status {
		edited = append(edited, "status")
		changes["x_pam_status"] = m.Status
	}
	text := []byte(carried.Raw)
	if len(edited) > 0 {
		var err error
		if text, err = withChanges(text, changes); err != nil {
			return fmt.Errorf("convert memory %s: %w", m.ID, err)
		}
		c.report.edited(m.ID, edited...)
	}
	return c.addItem(carried.Kind, carried.N, text)
}

// mifLists are the members of a document whose elements become memories, with their kinds.
var mifLists = map[string]string{"memories": "memory", "todos": "todo", "projects": "project", "reminders": "reminder"}
