package convert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/pamline/pamline/interop/mif"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// fromMIF are the PAM types of MIF's; other types are custom.
var fromMIF = map[string]string{
	"observation": "fact", "learning": "fact", "discovery": "fact", "pattern": "preference", "decision": "project", "task": "project",
	"context": "context", "error": "context", "conversation": "context",
}

// todoStatuses are the statuses of the goals that todos become.
var todoStatuses = map[string]string{"done": "archived", "cancelled": "deprecated"}

// ErrConsent is wrapped when the consent in a document forbids what is wanted.
var ErrConsent = errors.New("the consent in the document forbids it")

// PAMFromMIF writes a MIF document as a PAM bundle. Its consent is enforced: what must not be
// shared is not exportable, what has to be gone is refused, and what has to be gone later has an
// end.
func PAMFromMIF(ctx context.Context, d *mif.Document, now time.Time, o Options, out Output) (report *Report, err error) {
	r := newReport("mif", "pam")
	c := &mifIn{o: o, d: d, report: r, w: newPAMWriter(o.Scratch, r), consent: d.Consent()}
	defer func() { err = errors.Join(err, c.w.Close()) }()
	if !o.Checked {
		if err := CheckMIF(d, now); err != nil {
			return nil, err
		}
	}
	if d.Checksum != mif.Verified {
		r.Notes = append(r.Notes, "checksum: "+string(d.Checksum))
	}
	if !c.consent.Shared {
		r.Notes = append(r.Notes, "consent: sharing is not allowed, so every memory is marked exportable: false")
	}
	if err := c.addAll(ctx); err != nil {
		return nil, err
	}
	return r, c.w.write(out)
}

// CheckMIF tells why a document must not be converted: it is encrypted or not valid, or its consent
// has ended.
func CheckMIF(d *mif.Document, now time.Time) error {
	if d.IsEncrypted() {
		return fmt.Errorf("convert MIF: %w", mif.ErrEncrypted)
	}
	var problem *mif.Finding
	err := d.Check(func(f mif.Finding) {
		if problem == nil && !f.Warning {
			problem = &f
		}
	})
	if err != nil {
		return fmt.Errorf("convert MIF: %w", err)
	}
	if problem != nil {
		return fmt.Errorf("convert MIF: the document is not valid: %s: %s", problem.Pointer, problem.Reason)
	}
	if until := d.Consent().Until; !until.IsZero() && now.After(until) {
		return fmt.Errorf("convert MIF: %w", mif.ErrRetention)
	}
	return nil
}

type mifIn struct {
	o       Options
	d       *mif.Document
	report  *Report
	w       *pamWriter
	consent mif.Consent
}

func (c *mifIn) addAll(ctx context.Context) error {
	root := c.d.Root
	for name, kind := range mifLists {
		err := c.eachRecord(ctx, name, func(r mif.Record) error { return c.addItem(kind, r.Node, int64(r.Index)) })
		if err != nil {
			return err
		}
	}
	if x := root.Get("x_pam"); x.Get("store").Kind() == jsonscan.Object {
		return c.addStore(ctx, x)
	}
	meta := root.Get("export")
	if !meta.Exists() {
		meta = root.Get("export_meta")
	}
	owner := meta.Get("user_id").Str()
	if owner == "" {
		owner = c.o.Owner
	}
	c.w.header = pamio.Header{
		SpecURI: "https://portable-ai-memory.org/spec/v1.0", ExportID: uuid.NewSHA1(uuid.NameSpaceOID, []byte(c.d.Digest)).String(), ExportedBy: c.o.Generator,
		ExportDate: pamTime(meta.Get("created_at")), Owner: pamio.Owner{ID: owner}, ExportType: "full",
	}
	if err := c.eachRecord(ctx, mif.Memories, c.addDerived); err != nil {
		return err
	}
	if c.o.Clean {
		c.report.lose("graph, metadata and other members of the document", 1)
		return nil
	}
	return c.addRoot(root)
}

// eachRecord reads the records of a list.
func (c *mifIn) eachRecord(ctx context.Context, list string, use func(mif.Record) error) error {
	for r, err := range c.d.Records(list) {
		if err = errors.Join(err, r.Err, ctx.Err()); err == nil {
			err = use(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addStore gives back what a store had beside its memories.
func (c *mifIn) addStore(ctx context.Context, x jsonscan.Node) error {
	c.w.head, c.w.collections = append([]byte{}, x.Get("store").Raw()...), []string{}
	for v := range x.Get("collections").Items() {
		c.w.collections = append(c.w.collections, v.Str())
	}
	for list, add := range map[string]func(mif.Record) error{
		mif.PAMRelations: func(r mif.Record) error { return c.w.addRelation(r.Raw()) },
		mif.PAMIndex:     func(r mif.Record) error { return c.w.addTo(c.w.index, "conversations", r.Raw()) },
		mif.PAMEmbeddings: func(r mif.Record) error {
			c.w.hasVectors = true
			return c.w.addTo(c.w.embeddings, "embeddings", r.Raw())
		},
		mif.PAMDocuments: func(r mif.Record) error {
			ref, text, err := parseDocument(r.Raw())
			if err == nil && !isInside(ref) {
				err = fmt.Errorf("write %q: the path leaves the bundle", ref)
			}
			if err != nil {
				return err
			}
			return c.w.addPart(c.w.docs, ref, 0, text)
		},
	} {
		if err := c.eachRecord(ctx, list, add); err != nil {
			return err
		}
	}
	return nil
}

// addDerived makes relations of those between the memories of a document.
func (c *mifIn) addDerived(m mif.Record) error {
	ids := m.Get("relations").Get("related_memories")
	if !ids.Exists() {
		ids = m.Get("related_memory_ids")
	}
	for id := range ids.Items() {
		r := pamio.Relation{ID: "mif:" + textDigest(m.Get("id").Str() + "\x00" + id.Str())[:24], From: m.Get("id").Str(), To: id.Str(), Type: "related_to", CreatedAt: pamTime(m.Get("created_at"))}
		text, err := r.AppendCanonical(nil)
		if err == nil {
			err = c.w.derived.Add([]byte(r.ID), text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addRoot keeps what is left of a document without its lists as a carrier.
func (c *mifIn) addRoot(root jsonscan.Node) error {
	text := []byte{'{'}
	for k, v := range root.Fields() {
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(append(text, k.Raw()...), ':')
		if mifLists[k.Str()] != "" && v.Kind() == jsonscan.Array {
			text = append(text, "[]"...)
			continue
		}
		whole, err := c.d.Member(k.Str())
		if err != nil {
			return fmt.Errorf("convert MIF: %w", err)
		}
		text = append(text, compactText(whole)...)
	}
	m := projectCarrier("document", nil, jsonscan.Node{}, 0)
	m.ID, m.CustomType, m.Content = "mif_document", "mif_document", "MIF "+c.d.Version+" document"
	m.ContentHash, m.Provenance.Platform, m.Temporal.CreatedAt = pamio.ContentHash(m.Content), "mif", pamTime(root.Get("export").Get("created_at"))
	m.Access.Exportable = c.consent.Shared
	carried, err := withCarrier(m, "mif", &carrier{Kind: "document", Raw: string(append(text, '}'))})
	if err != nil {
		return err
	}
	return c.w.addMemory(-1, carried)
}

func pamTime(n jsonscan.Node) string {
	t, err := pamio.ParseTime(n.Str())
	if err != nil {
		return "1970-01-01T00:00:00Z"
	}
	return pamio.FormatTime(t)
}

// projectMIF gives the memory of a record without its carrier.
func projectMIF(kind string, raw []byte) *pamio.Memory {
	var n jsonscan.Node
	if d, err := jsonscan.Parse(raw, 0); err == nil {
		n = d.Root()
	}
	m := &pamio.Memory{
		ID: n.Get("id").Str(), Type: "goal", Status: "active", Content: n.Get("content").Str(), Tags: []string{},
		Temporal:   pamio.Temporal{CreatedAt: pamTime(n.Get("created_at"))},
		Provenance: pamio.Provenance{Platform: "mif", ExtractionMethod: "api_export"},
	}
	if updated := n.Get("updated_at"); updated.Kind() == jsonscan.String {
		m.Temporal.UpdatedAt = pamTime(updated)
	}
	var tags []string
	for tag := range n.Get("tags").Items() {
		tags = append(tags, tag.Str())
	}
	m.Tags = tagsOf(tags)
	switch kind {
	case "memory":
		name := n.Get("type").Str() + n.Get("memory_type").Str()
		if m.Type = fromMIF[strings.ToLower(name)]; m.Type == "" {
			m.Type, m.CustomType = "custom", "mif_"+strings.ToLower(customName(name))
		}
	case "project":
		m.Type, m.Content = "project", n.Get("name").Str()
	}
	if s := todoStatuses[n.Get("status").Str()]; s != "" {
		m.Status = s
	}
	switch s := n.Get("x_pam_status").Str(); s { // addCarried has written it
	case "active", "superseded", "deprecated", "retracted", "archived":
		m.Status = s
	}
	if m.Content == "" {
		m.Content = emptyText
	}
	if m.ID == "" {
		m.ID = kind + ":" + textDigest(string(raw))[:24]
	}
	m.ContentHash = pamio.ContentHash(m.Content)
	return m
}

// addItem takes one memory, todo, project or reminder.
func (c *mifIn) addItem(kind string, n jsonscan.Node, number int64) error {
	raw := n.AppendCompact(nil)
	if x := n.Get("x_pam"); kind == "memory" && x.Get("memory").Kind() == jsonscan.Object {
		return c.addShadowed(n)
	}
	m := projectMIF(kind, raw)
	if !c.consent.Shared {
		m.Access = &pamio.Access{Visibility: "private", Exportable: false}
	}
	if until := c.consent.Until; !until.IsZero() {
		m.Temporal.ValidUntil = pamio.FormatTime(until)
	}
	var text []byte
	var err error
	if c.o.Clean {
		c.report.lose("fields that PAM has no place for, in records of kind "+kind, 1)
		text, err = m.AppendCanonical(nil)
	} else {
		text, err = withCarrier(m, "mif", &carrier{Kind: kind, N: number, Raw: string(raw)})
	}
	if err != nil {
		return fmt.Errorf("convert %s: %w", kind, err)
	}
	return c.w.addMemory(-1, text)
}

// addShadowed takes a memory that was one of PAM.
func (c *mifIn) addShadowed(n jsonscan.Node) error {
	var now mifMemory
	if err := json.Unmarshal(n.Raw(), &now); err != nil {
		return fmt.Errorf("read memory: %w", err)
	}
	s := now.XPAM
	raw := withMember(s.Memory, "content", pamio.AppendString(nil, now.Content))
	m, err := pamio.ParseMemory(raw)
	if err != nil {
		return fmt.Errorf("read the shadow of %s: %w", now.ID, err)
	}
	was := newMIFMemory(m)
	if was.ID != now.ID {
		return fmt.Errorf("read the shadow of %s: it is that of another", now.ID)
	}
	var edited []string
	if textDigest(now.Content) != s.Content {
		edited = append(edited, "content")
		m.ContentHash = pamio.ContentHash(now.Content)
	}
	if strings.Join(now.Tags, "\x00") != strings.Join(was.Tags, "\x00") {
		edited = append(edited, "tags")
		m.Tags = tagsOf(now.Tags)
	}
	if now.Type != was.Type {
		edited = append(edited, "type")
		if m.Type, m.CustomType = fromMIF[strings.ToLower(now.Type)], ""; m.Type == "" {
			m.Type, m.CustomType = "custom", "mif_"+strings.ToLower(customName(now.Type))
		}
	}
	if now.UpdatedAt != was.UpdatedAt {
		edited = append(edited, "updated_at")
		m.Temporal.UpdatedAt = now.UpdatedAt
	}
	if edited != nil {
		if raw, err = m.AppendCanonical(nil); err != nil {
			return err
		}
		c.report.edited(m.ID, edited...)
	}
	place := int64(-1)
	if s.N != nil {
		place = *s.N
	}
	return c.w.addMemory(place, raw)
}
