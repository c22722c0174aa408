package convert

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/google/uuid"

	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// memIn converts .mem bundles.
type memIn struct {
	o      Options
	w      *pamWriter
	report *Report
	// conversations and relations are those that came from PAM and are in streams of their own.
	conversations map[string]bool
	relations     map[linkID]bool
	numbers       map[string]int64
	received      []string
	// stubs are the memories of erased records, by their ids; redacted ones may still have a row.
	stubs map[string]*pamio.Memory
}

// PAMFromMem merges .mem bundles, the owner's own first, and writes them as a PAM bundle. What came
// from PAM becomes what it was, and the edits since are reported.
func PAMFromMem(ctx context.Context, bundles []*mem.Bundle, o Options, merge mem.MergeOptions, out Output) (report *Report, merged mem.Merged, err error) {
	c := &memIn{o: o, report: newReport("mem", "pam"), conversations: map[string]bool{}, relations: map[linkID]bool{}, numbers: map[string]int64{}, stubs: map[string]*pamio.Memory{}}
	c.w = newPAMWriter(o.Scratch, c.report)
	defer func() { err = errors.Join(err, c.w.Close()) }()
	merge.Scratch = o.Scratch
	for _, b := range bundles {
		if b.Manifest == nil {
			return nil, merged, fmt.Errorf("%w: %w", mem.ErrInvalid, mem.ErrManifest)
		}
		if err := c.prepare(b); err != nil {
			return nil, merged, err
		}
		for _, f := range b.Manifest.Files {
			if strings.HasSuffix(f.Path, ".vec") {
				c.report.lose("vectors in embeddings/*.vec, whose form no specification says", 1)
			}
		}
	}
	merged, err = mem.Merge(ctx, bundles, merge, c.addRecord, func(kind string) { c.received = append(c.received, kind) })
	if err != nil {
		return nil, merged, err
	}
	for id, stub := range c.stubs {
		if !c.w.has(id) && !o.NoStubs {
			text, err := stub.AppendCanonical(nil)
			if err != nil {
				return nil, merged, err
			}
			if err := c.w.addMemory(-1, text); err != nil {
				return nil, merged, err
			}
		}
	}
	if err := c.addManifest(bundles); err != nil {
		return nil, merged, err
	}
	return c.report, merged, c.w.write(out)
}

// prepare notes what came from PAM, so that its native forms are passed over.
func (c *memIn) prepare(b *mem.Bundle) error {
	for stream, note := range map[string]func(n jsonscan.Node){
		streamConversation: func(n jsonscan.Node) { c.conversations[n.Get("id").Str()] = true },
		streamRelation: func(n jsonscan.Node) {
			c.relations[idOfLink(n.Get("from").Str(), n.Get("to").Str(), n.Get("type").Str())] = true
		},
	} {
		for _, f := range b.Manifest.Files {
			if f.Path != mem.PathOf(stream) {
				continue
			}
			for r, err := range b.Records(f.Path) {
				if err != nil {
					return err
				}
				d, err := jsonscan.Parse(r.Line, 0)
				if err != nil {
					return fmt.Errorf("read %s: %w", f.Path, err)
				}
				note(d.Root())
			}
		}
	}
	return nil
}

// addRecord takes one record that is left after the tombstones.
func (c *memIn) addRecord(kind string, line []byte) error {
	var n jsonscan.Node
	if d, err := jsonscan.Parse(line, 0); err == nil {
		n = d.Root()
	}
	switch kind {
	case streamStore:
		if c.w.head != nil {
			c.report.lose("heads of further stores", 1)
			return nil
		}
		c.w.head = append([]byte{}, n.Get("store").Raw()...)
		c.w.collections = []string{}
		for v := range n.Get("collections").Items() {
			c.w.collections = append(c.w.collections, v.Str())
		}
		c.w.hasVectors = c.w.hasVectors || n.Get("embeddings").True()
		return nil
	case streamRelation:
		return c.w.addRelation(line)
	case streamConversation:
		return c.w.addTo(c.w.index, "conversations", line)
	case streamDocument:
		ref, text, err := parseDocument(line)
		if err != nil {
			return err
		}
		return c.addFilePart(ref, 0, text, true)
	case streamEmbedding:
		c.w.hasVectors = true
		return c.w.addTo(c.w.embeddings, "embeddings", line)
	case streamFile:
		var p filePart
		if err := json.Unmarshal(line, &p); err != nil {
			return fmt.Errorf("read %s: %w", streamFile, err)
		}
		data, err := base64.StdEncoding.DecodeString(p.Data)
		if err != nil {
			return fmt.Errorf("read %s: %w", streamFile, err)
		}
		return c.addFilePart(p.Path, p.N, data, false)
	case "context":
		if c.conversations[n.Get("id").Str()] {
			return nil
		}
	case "episodeLink":
		if c.relations[idOfLink(n.Get("srcEpisodeID").Str(), n.Get("dstEpisodeID").Str(), n.Get("linkType").Str())] {
			return nil
		}
	case "episode":
		if c.isSkeleton(kind, n) {
			return nil
		}
		if n.Get("metadata").Get("pam").Kind() == jsonscan.String {
			return c.addShadowed(line, n)
		}
	}
	return c.addForeign(kind, line, n)
}

func (c *memIn) addFilePart(name string, n int, data []byte, isDocument bool) error {
	if name = path.Clean(name); !isInside(name) {
		return fmt.Errorf("write %q: the path leaves the bundle", name)
	}
	s := c.w.files
	if isDocument {
		s = c.w.docs
	}
	return c.w.addPart(s, name, uint64(max(n, 0)), data)
}

func isInside(name string) bool {
	return name != "." && name != ".." && !strings.HasPrefix(name, "../") && !path.IsAbs(name) && !strings.ContainsAny(name, "\\:\x00") && name != pamio.StoreFile && name != pamio.EmbeddingsFile
}

// addShadowed takes an episode that was a memory.
func (c *memIn) addShadowed(line []byte, n jsonscan.Node) error {
	var e episode
	var s shadow
	if err := json.Unmarshal(line, &e); err != nil {
		return fmt.Errorf("read episode: %w", err)
	}
	if err := json.Unmarshal([]byte(n.Get("metadata").Get("pam").Str()), &s); err != nil {
		return fmt.Errorf("read the shadow of episode %q: %w", e.ID, err)
	}
	raw, edited, err := s.memoryOf(&e)
	if err != nil {
		return err
	}
	if edited != nil {
		c.report.edited(e.ID, edited...)
	}
	if d, err := jsonscan.Parse(s.Memory, 0); err != nil || !d.Root().Get("id").Is(e.ID) {
		return fmt.Errorf("read the shadow of episode %q: it is that of another", e.ID)
	}
	place := int64(-1)
	if s.N != nil {
		place = *s.N
	}
	return c.w.addMemory(place, raw)
}

// isSkeleton tells whether a record is what a redaction has left, and is to be left out.
func (c *memIn) isSkeleton(kind string, n jsonscan.Node) bool {
	p := projections[kind]
	if !c.o.NoStubs || p.key == "" || c.stubs[recordID(kind, n.Get(p.key).Str())] == nil {
		return false
	}
	c.report.lose("skeletons of redacted records", 1)
	return true
}

// addForeign takes a record that never was PAM.
func (c *memIn) addForeign(kind string, line []byte, n jsonscan.Node) error {
	if c.isSkeleton(kind, n) {
		return nil
	}
	number := c.numbers[kind]
	c.numbers[kind]++
	m, err := projectRecord(kind, line, number)
	if err != nil {
		return err
	}
	if kind == mem.Tombstone {
		c.addStub(n)
	}
	if err := c.relate(kind, n); err != nil {
		return err
	}
	if c.o.Clean {
		if _, known := projections[kind]; !known {
			c.report.lose("records of kind "+kind, 1)
			return nil
		}
		c.report.lose("fields that PAM has no place for, in records of kind "+kind, 1)
		text, err := m.AppendCanonical(nil)
		if err != nil {
			return err
		}
		return c.w.addMemory(-1, text)
	}
	text, err := withCarrier(m, "mem", &carrier{Kind: kind, N: number, Raw: string(line)})
	if err != nil {
		return fmt.Errorf("convert %s: %w", kind, err)
	}
	return c.w.addMemory(-1, text)
}

// addStub puts a retracted memory without text in the place of an erased record: importers that
// know no tombstones erase by it.
func (c *memIn) addStub(n jsonscan.Node) {
	id := recordID(n.Get("targetKind").Str(), n.Get("targetID").Str())
	metadata, err := json.Marshal(map[string]*carrier{"mem": {Kind: n.Get("targetKind").Str(), Stub: n.Get("id").Str()}})
	if err != nil {
		return // strings always have a text
	}
	at := memTime(n.Get("deletedAt").Str())
	c.stubs[id] = &pamio.Memory{
		ID: id, Type: "custom", CustomType: "mem_erased", Status: "retracted", Content: erasedText, ContentHash: pamio.ContentHash(erasedText), Tags: []string{},
		Temporal: pamio.Temporal{CreatedAt: at, UpdatedAt: at}, Provenance: pamio.Provenance{Platform: "portable-memory", ExtractionMethod: "api_export"},
		Metadata: compactText(metadata),
	}
}

// relate makes relations of what a record says of others.
func (c *memIn) relate(kind string, n jsonscan.Node) error {
	switch kind {
	case "fact":
		id := recordID("fact", n.Get("id").Str())
		err := c.addDerived(id, recordID("episode", n.Get("episodeID").Str()), "derived_from", n.Get("createdAt"), "")
		if by := n.Get("supersededBy").Str(); by != "" && err == nil {
			err = c.addDerived(recordID("fact", by), id, "supersedes", n.Get("tValidTo"), "")
		}
		return err
	case "episodeLink":
		relation := n.Get("linkType").Str()
		if !relationTypes[relation] {
			relation = "related_to"
		}
		return c.addDerived(n.Get("srcEpisodeID").Str(), n.Get("dstEpisodeID").Str(), relation, jsonscan.Node{}, string(n.Get("weight").Raw()))
	}
	return nil
}

// relationTypes are those of PAM §13.
var relationTypes = map[string]bool{"supports": true, "contradicts": true, "extends": true, "supersedes": true, "related_to": true, "derived_from": true}

func (c *memIn) addDerived(from, to, relation string, at jsonscan.Node, weight string) error {
	sum := sha256.Sum256([]byte(from + "\x00" + to + "\x00" + relation))
	r := pamio.Relation{ID: derivedPrefix + hex.EncodeToString(sum[:12]), From: from, To: to, Type: relation, CreatedAt: memTime(at.Str())}
	var value float64
	if weight != "" && json.Unmarshal([]byte(weight), &value) == nil && value >= 0 && value <= 1 {
		r.Confidence = &value
	}
	text, err := r.AppendCanonical(nil)
	if err != nil {
		return fmt.Errorf("relate %s: %w", from, err)
	}
	return c.w.derived.Add([]byte(r.ID), text)
}

// addManifest keeps the manifest of a single bundle, and makes a head if no store came along.
func (c *memIn) addManifest(bundles []*mem.Bundle) error {
	b := bundles[0]
	if c.w.head == nil {
		owner := c.o.Owner
		if owner == "" {
			owner = "owner"
		}
		c.w.header = pamio.Header{
			SpecURI: "https://portable-ai-memory.org/spec/v1.0", ExportID: uuid.NewSHA1(uuid.NameSpaceOID, b.ManifestText).String(), ExportedBy: c.o.Generator,
			ExportDate: memTime(b.Manifest.CreatedAt), Owner: pamio.Owner{ID: owner}, ExportType: "full",
		}
	} else {
		return nil // it came from PAM
	}
	if c.o.Clean || len(bundles) > 1 {
		c.report.lose("manifests", int64(len(bundles)))
		return nil
	}
	sig, err := b.Signature()
	if err != nil {
		return err
	}
	m := projectCarrier("manifest", b.ManifestText, jsonscan.Node{}, 0)
	m.ID, m.Content = "mem_manifest", "manifest of a .mem bundle, level "+b.Manifest.ConformanceLevel
	m.ContentHash, m.Temporal.CreatedAt = pamio.ContentHash(m.Content), memTime(b.Manifest.CreatedAt)
	text, err := withCarrier(m, "mem", &carrier{Kind: "manifest", Raw: string(b.ManifestText), Sig: string(sig), Received: c.received})
	if err != nil {
		return err
	}
	return c.w.addMemory(-1, text)
}
