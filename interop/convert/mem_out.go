package convert

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// memOut converts a PAM bundle.
type memOut struct {
	*survey
	o      Options
	w      *mem.Writer
	report *Report
	// shadows are the records that go back into streams whose order counts.
	shadows *extsort.Sorter
	links   map[linkID]bool
	refs    map[string]bool
}

// MemFromPAM writes a PAM bundle as a .mem bundle. Memories marked exportable: false stay out with
// everything that refers to them. What came from a .mem bundle becomes its record again.
func MemFromPAM(ctx context.Context, b *pamio.Bundle, o Options, write mem.WriteOptions, out mem.Output) (report *Report, err error) {
	c := &memOut{o: o, w: mem.NewWriter(o.Scratch), report: newReport("pam", "mem"), shadows: extsort.New(o.Scratch, 16<<20), links: map[linkID]bool{}, refs: map[string]bool{}}
	defer func() { err = errors.Join(err, c.w.Close(), c.shadows.Close()) }()
	if c.survey, err = surveyStore(b, "mem"); err != nil {
		return nil, err
	}
	c.report.lose("memories marked exportable: false", int64(len(c.withheld)))
	if o.Since != nil || o.Evidence {
		c.w.NoteKeys()
	}
	native := c.native || c.manifest == nil
	if o.Evidence {
		write.Evidence = true
		if err := c.writeEvidence(ctx, b); err != nil {
			return nil, err
		}
	} else if err := errors.Join(c.writeStore(ctx, b, native), c.writeBeside(b, native)); err != nil {
		return nil, err
	}
	if m := c.manifest; m != nil && !o.Evidence {
		for _, kind := range m.Received {
			c.w.KeepOrder(kind)
		}
		write.Manifest = []byte(m.Raw)
		if m.Sig != "" {
			write.Signature = []byte(m.Sig)
		}
	}
	for r, err := range c.shadows.Sorted() {
		if err != nil {
			return nil, err
		}
		if err := c.addRecord(string(r.Key[:len(r.Key)-9]), r.Value); err != nil {
			return nil, err
		}
	}
	if o.Since != nil {
		if err := c.addTombstones(ctx, write.Key); err != nil {
			return nil, err
		}
	}
	if write.CreatedAt == "" {
		write.CreatedAt = memTime(c.scalars.ExportDate)
	}
	manifest, err := c.w.Write(out, write)
	if err != nil {
		return nil, err
	}
	c.report.Written = manifest.Counts
	return c.report, nil
}

func (c *memOut) writeStore(ctx context.Context, b *pamio.Bundle, native bool) error {
	v := pamio.Visitor{
		Relation:   func(e pamio.Element) error { return c.addRelation(e.Raw) },
		IndexEntry: func(e pamio.Element) error { return c.addConversation(e.Raw) },
	}
	err := eachMemory(b, v, func(e pamio.Element, m *pamio.Memory) error {
		if c.withheld[m.ID] {
			return ctx.Err()
		}
		if carried := carrierOf(m, "mem"); carried != nil && carried.Raw != "" || carried != nil && carried.Stub != "" {
			return c.addCarried(m, carried)
		}
		n := int64(e.Index)
		if c.sorted {
			n = -1
		}
		return errors.Join(c.addMemory(e.Raw, m, n), ctx.Err())
	})
	if err != nil || !native {
		return err
	}
	if c.o.Clean {
		c.report.lose("owner, export id and integrity block", 1)
		if c.scalars.Signature != nil {
			c.report.lose("signature", 1)
		}
		return nil
	}
	vectors := false
	if f, err := b.OpenEmbeddings(); err == nil {
		vectors = true
		if err := f.Close(); err != nil {
			return err
		}
	}
	line, err := json.Marshal(map[string]any{"store": pamio.RawJSON(compactText(c.scalars.Raw)), "collections": c.collections, "embeddings": vectors})
	if err != nil {
		return err
	}
	return c.w.Add(streamStore, line)
}

func compactText(raw []byte) []byte {
	d, err := jsonscan.Parse(raw, 0)
	if err != nil {
		return raw
	}
	return d.Root().AppendCompact(nil)
}

func (c *memOut) addMemory(raw []byte, m *pamio.Memory, n int64) error {
	e := newEpisode(m)
	if c.o.Clean {
		c.countLosses(m)
	} else {
		text, err := newShadow(raw, m.Content, n)
		if err != nil {
			return err
		}
		e.Metadata["pam"] = text
	}
	line, err := e.line()
	if err != nil {
		return fmt.Errorf("convert memory %s: %w", m.ID, err)
	}
	return c.w.Add("episode", line)
}

// countLosses counts the fields of a memory that an episode has no place for.
func (c *memOut) countLosses(m *pamio.Memory) {
	count := func(what string, lost bool) {
		if lost {
			c.report.lose(what, 1)
		}
	}
	count("metadata", m.Metadata != nil)
	count("access", m.Access != nil)
	count("confidence: initial, decay_model, last_reinforced", m.Confidence != nil)
	count("provenance: message_ref, extractor, platform_user_id", m.Provenance.MessageRef+m.Provenance.Extractor+m.Provenance.PlatformUserID != "")
	count("superseded_by", m.Temporal.SupersededBy != "")
	count("embedding_ref", m.EmbeddingRef != "")
	for _, t := range []string{m.Temporal.CreatedAt, m.Temporal.UpdatedAt, m.Temporal.ValidFrom, m.Temporal.ValidUntil} {
		at, err := pamio.ParseTime(t)
		count("fractions of seconds", err == nil && at.Nanosecond() != 0)
	}
}

func (c *memOut) addRelation(raw []byte) error {
	r, err := pamio.ParseRelation(raw)
	if err != nil {
		return fmt.Errorf("read relation: %w", err)
	}
	if c.withheld[r.From] || c.withheld[r.To] {
		c.report.lose("relations of memories that are left out", 1)
		return nil
	}
	if isDerived(r.ID) {
		return nil // made of a record that is written itself
	}
	weight := 1.0
	if r.Confidence != nil {
		weight = roundScore(*r.Confidence)
	}
	if key := idOfLink(r.From, r.To, r.Type); !c.links[key] {
		c.links[key] = true
		line, err := json.Marshal(map[string]any{"srcEpisodeID": r.From, "dstEpisodeID": r.To, "linkType": r.Type, "weight": weight})
		if err != nil {
			return err
		}
		if err := c.w.Add("episodeLink", line); err != nil {
			return err
		}
	}
	if c.o.Clean {
		c.report.lose("relations: id, created_at", 1)
		return nil
	}
	return c.w.Add(streamRelation, compactText(raw))
}

func (c *memOut) addConversation(raw []byte) error {
	e, err := pamio.ParseIndexEntry(raw)
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	label := e.ID
	if e.Title != nil && *e.Title != "" {
		label = *e.Title
	}
	line, err := json.Marshal(map[string]any{"id": e.ID, "label": label, "archived": false, "createdAt": memTime(e.Temporal.CreatedAt)})
	if err != nil {
		return err
	}
	if e.Storage != nil && e.Storage.Type == "file" {
		c.refs[path.Clean(e.Storage.Ref)] = true
	}
	if err := c.w.Add("context", line); err != nil {
		return err
	}
	if c.o.Clean {
		c.report.lose("entries of conversations_index", 1)
		return nil
	}
	if len(c.withheld) > 0 && slices.ContainsFunc(e.DerivedMemories, func(id string) bool { return c.withheld[id] }) {
		e.DerivedMemories = slices.DeleteFunc(e.DerivedMemories, func(id string) bool { return c.withheld[id] })
		if raw, err = e.AppendCanonical(nil); err != nil {
			return err
		}
	}
	return c.w.Add(streamConversation, compactText(raw))
}

// writeBeside writes what lies beside the store.
func (c *memOut) writeBeside(b *pamio.Bundle, native bool) error {
	if b.StoreName() != pamio.StoreFile {
		return nil
	}
	for file, err := range b.Conversations(mem.MaxLine - 1<<20) {
		if err != nil && file.Entry == nil {
			return err
		}
		if err != nil {
			c.report.lose("documents of conversations that cannot be read", 1)
			continue
		}
		if file.Raw == nil {
			continue
		}
		if c.o.Clean {
			c.report.lose("documents of conversations", 1)
			continue
		}
		line, err := newDocument(file.Entry.ID, path.Clean(file.Entry.Storage.Ref), file.Raw)
		if err != nil {
			return err
		}
		if err := c.w.Add(streamDocument, line); err != nil {
			return err
		}
	}
	if err := c.addEmbeddings(b); err != nil {
		return err
	}
	return eachFile(b, c.refs, func(name string, n int, data []byte) error {
		if c.o.Clean {
			if n == 0 {
				c.report.lose("files of messages", 1)
			}
			return nil
		}
		line, err := newFilePart(name, n, data)
		if err != nil {
			return err
		}
		return c.w.Add(streamFile, line)
	})
}

func (c *memOut) addEmbeddings(b *pamio.Bundle) (err error) {
	f, err := b.OpenEmbeddings()
	if err != nil {
		return nil //nolint:nilerr // there are none
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return pamio.ReadEmbeddings(f.(io.Reader), -1, func(e pamio.Element) error {
		v, err := pamio.ParseEmbedding(e.Raw)
		if err != nil {
			return err
		}
		if c.withheld[v.MemoryID] {
			return nil
		}
		if c.o.Clean {
			c.report.lose("embeddings", 1)
			return nil
		}
		return c.w.Add(streamEmbedding, compactText(e.Raw))
	})
}

// shadowKey sorts records by kind, then by their numbers.
func shadowKey(kind string, n int64) []byte {
	return binary.BigEndian.AppendUint64(append([]byte(kind), 0), uint64(max(n, 0)))
}
