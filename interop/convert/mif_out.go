package convert

import (
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
	// items are the elements of memories and todos by kind and number.
	items   *extsort.Sorter
	related map[string][]string
	beside  map[string][]json.RawMessage
	edges   []map[string]any
	extra   int64
}

// MIFFromPAM writes a PAM bundle as a MIF 1.0 document. What came from a MIF document becomes that
// document again.
func MIFFromPAM(ctx context.Context, b *pamio.Bundle, o Options, w io.Writer) (report *Report, err error) {
	c := &mifOut{o: o, report: newReport("pam", "mif"), items: extsort.New(o.Scratch, 32<<20), related: map[string][]string{}, beside: map[string][]json.RawMessage{}}
	defer func() { err = errors.Join(err, c.items.Close()) }()
	if c.survey, err = surveyStore(b, "mif"); err != nil {
		return nil, err
	}
	c.report.lose("memories marked exportable: false", int64(len(c.withheld)))
	if err := c.readBeside(b); err != nil {
		return nil, err
	}
	c.extra = 1 << 40
	err = eachMemory(b, pamio.Visitor{}, func(e pamio.Element, m *pamio.Memory) error {
		if c.withheld[m.ID] {
			return ctx.Err()
		}
		if carried := carrierOf(m, "mif"); carried != nil {
			return c.addCarried(m, carried)
		}
		return errors.Join(c.addMemory(e, m), ctx.Err())
	})
	if err != nil {
		return nil, err
	}
	return c.report, c.write(w)
}

// mifID is the id of a memory in MIF.
func mifID(id string) string {
	if u, err := uuid.Parse(id); err == nil && u.String() == id {
		return "mem_" + id
	}
	sum := sha256.Sum256([]byte(id))
	return "mem_" + hex.EncodeToString(sum[:16])
}

// readBeside reads relations, index, documents and embeddings, which ride along as x_pam.
func (c *mifOut) readBeside(b *pamio.Bundle) error {
	refs := map[string]bool{}
	keep := func(name string, raw []byte) {
		if c.o.Clean {
			c.report.lose(name, 1)
			return
		}
		c.beside[name] = append(c.beside[name], compactText(raw))
	}
	err := eachMemory(b, pamio.Visitor{
		Relation: func(e pamio.Element) error {
			r, err := pamio.ParseRelation(e.Raw)
			if err != nil || c.withheld[r.From] || c.withheld[r.To] {
				return err
			}
			from, to := mifID(r.From), mifID(r.To)
			if !slices.Contains(c.related[from], to) {
				c.related[from] = append(c.related[from], to)
			}
			kind := "user_linked"
			switch r.Type {
			case "related_to", "extends", "supports":
				kind = "semantic_association"
			case "derived_from":
				kind = "causal"
			}
			weight := 1.0
			if r.Confidence != nil {
				weight = *r.Confidence
			}
			c.edges = append(c.edges, map[string]any{"source": from, "target": to, "weight": weight, "type": kind})
			keep("relations", e.Raw)
			return nil
		},
		IndexEntry: func(e pamio.Element) error {
			entry, err := pamio.ParseIndexEntry(e.Raw)
			if err != nil {
				return err
			}
			if entry.Storage != nil && entry.Storage.Type == "file" {
				refs[path.Clean(entry.Storage.Ref)] = true
			}
			keep("conversations_index", e.Raw)
			return nil
		},
	}, nil)
	if err != nil || b.StoreName() != pamio.StoreFile {
		return err
	}
	for file, err := range b.Conversations(mif.MaxDocument / 4) {
		if err != nil && file.Entry == nil {
			return err
		}
		if err != nil || file.Raw == nil {
			c.report.lose("documents of conversations that cannot be read", 1)
			continue
		}
		line, err := newDocument(file.Entry.ID, path.Clean(file.Entry.Storage.Ref), file.Raw)
		if err != nil {
			return err
		}
		keep("documents", line)
	}
	if f, err := b.OpenEmbeddings(); err == nil {
		err := pamio.ReadEmbeddings(f, -1, func(e pamio.Element) error {
			if v, err := pamio.ParseEmbedding(e.Raw); err != nil || c.withheld[v.MemoryID] {
				return err
			}
			keep("embeddings", e.Raw)
			return nil
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
	Relations map[string]any `json:"relations,omitempty"`
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
	if to := c.related[out.ID]; to != nil {
		out.Relations = map[string]any{"related_memories": to, "related_todos": []string{}}
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
	return c.addItem("memory", c.extra, text)
}

func (c *mifOut) addItem(kind string, n int64, text []byte) error {
	c.report.Written[kind]++
	return c.items.Add(binary.BigEndian.AppendUint64(append([]byte(kind), 0), uint64(max(n, 0))), text)
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

// write writes the document: the root that it had, or a new one.
func (c *mifOut) write(w io.Writer) error {
	lists := map[string][]byte{}
	for r, err := range c.items.Sorted() {
		if err != nil {
			return err
		}
		kind := string(r.Key[:len(r.Key)-9])
		lists[kind] = append(append(lists[kind], ','), r.Value...)
	}
	if c.manifest != nil {
		return writeOldRoot(w, []byte(c.manifest.Raw), lists)
	}
	export := map[string]any{
		"id": "exp_" + textDigest(c.scalars.ExportID + c.scalars.ExportDate)[:16], "created_at": memTime(c.scalars.ExportDate), "user_id": c.scalars.Owner.ID, "x_checksum_profile": mif.Profile,
	}
	root := map[string]any{
		"mif_version": "1.0", "generator": map[string]string{"name": "pamline", "version": "1.0.0"}, "export": export,
		"memories": json.RawMessage(listText(lists["memory"])),
		"metadata": map[string]any{"total_memories": c.report.Written["memory"], "total_todos": 0},
	}
	if len(c.edges) > 0 {
		root["graph"] = map[string]any{"format": "adjacency_list", "edge_count": len(c.edges), "edges": c.edges}
	}
	if !c.o.Clean {
		x := map[string]any{"store": json.RawMessage(compactText(c.scalars.Raw)), "collections": c.collections}
		for name, all := range c.beside {
			x[name] = all
		}
		root["x_pam"] = x
	} else if c.scalars.Signature != nil {
		c.report.lose("signature", 1)
	}
	text, err := json.Marshal(root)
	if err != nil {
		return err
	}
	sum := mif.ChecksumOf(text)
	if sum == "" {
		c.report.Notes = append(c.report.Notes, "the document has no checksum: a number in it has no canonical form")
		delete(export, "x_checksum_profile")
	} else {
		export["checksum"] = "sha256:" + sum
	}
	if text, err = json.Marshal(root); err != nil {
		return err
	}
	if len(text) > mif.MaxDocument {
		return fmt.Errorf("write MIF: the document would be larger than %d bytes; use --to mem", mif.MaxDocument)
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// listText is the text of an array of elements with commas in front.
func listText(elements []byte) []byte {
	if elements == nil {
		return []byte("[]")
	}
	return append(append([]byte{'['}, elements[1:]...), ']')
}

// writeOldRoot puts the lists of a document into the root that it had.
func writeOldRoot(w io.Writer, root []byte, lists map[string][]byte) error {
	d, err := jsonscan.Parse(root, 0)
	if err != nil {
		return fmt.Errorf("read the root of the MIF document: %w", err)
	}
	out := []byte{'{'}
	seen := false
	for k, v := range d.Root().Fields() {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, k.Raw()...), ':')
		switch kind := mifLists[k.Str()]; {
		case kind != "" && v.Kind() == jsonscan.Array:
			seen = seen || kind == "memory"
			out = append(out, listText(lists[kind])...)
		default:
			out = append(out, v.Raw()...)
		}
	}
	if !seen {
		out = append(append(out, `,"memories":`...), listText(lists["memory"])...)
	}
	_, err = w.Write(append(out, '}', '\n'))
	return err
}

// mifLists are the members of a document whose elements become memories, with their kinds.
var mifLists = map[string]string{"memories": "memory", "todos": "todo", "projects": "project", "reminders": "reminder"}
