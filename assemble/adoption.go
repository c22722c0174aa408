package assemble

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// adoption holds the elements of other PAM stores (normalize.ActAdopt). They go into the store as
// they are: under their own ids, with their own words and statuses. Resolution sees each memory as
// a statement of the same type and content, so that something newer can change its status, and what
// is said elsewhere counts as its duplicate. What resolution makes of such a statement is replaced
// by the element afterwards (assembly.adopt).
//
// What is held in memory are ids: about 200 bytes for each adopted memory.
type adoption struct {
	sorter   func() *extsort.Sorter
	elements *extsort.Sorter // kind, id, time, export date, element → origin, member, pointer
	// memories are the chosen ones by the id that resolution gives their statement, the oldest
	// first; the others by their own id, embeddings by that of their memory.
	memories, relations, embeddings *extsort.Sorter
	// index are the entries of conversations_index by id; in the end those without a document, and
	// named the memories that name them.
	index map[string][]byte
	named map[string][]string
	// origins are the exports that memories came from, by the id that resolution gives; ids are
	// their own where they differ, of several the oldest, and aliases the other way round.
	origins      map[string]string
	ids, aliases map[string]string
}

// adoptedRule marks statements of adopted memories, adoptedKey what resolution makes of them: true
// if nothing else states the same.
const (
	adoptedRule = "pam-element"
	adoptedKey  = "adopted"
	// accessKey is the time of the last edit of access to it.
	accessKey = "adopted_access"
)

// isEmpty tells whether nothing is adopted: then the adoption costs nothing.
func (a *adoption) isEmpty() bool { return a == nil || a.elements == nil }

// resolved is the id that resolution gives an adopted memory; that of another stays.
func (a *adoption) resolved(id string) string {
	if a == nil {
		return id
	}
	return cmp.Or(a.aliases[id], id)
}

// element is what identifies an element of a PAM document.
type element struct {
	ID       string `json:"id"`
	MemoryID string `json:"memory_id"`
}

// add takes an element.
func (a *adoption) add(c *normalize.Candidate, drop func(reason string)) error {
	var e element
	if json.Unmarshal(c.Element, &e) != nil || len(c.Evidence) == 0 {
		drop("adopt-unreadable")
		return nil
	}
	if c.Type == normalize.AdoptEmbedding {
		e.ID = e.MemoryID
	}
	if e.ID == "" {
		drop("adopt-without-id")
		return nil
	}
	if a.elements == nil {
		a.elements = a.sorter()
	}
	at := c.Evidence[0]
	tidyEvidence(&at, drop)
	key := tupleString(tupleString(nil, c.Type), e.ID)
	key = observed(at.ListedAt).ascending(observed(at.ObservedAt).ascending(key))
	value := packString(packString(packString(nil, at.Listing), at.Member), at.Pointer)
	return a.elements.Add(append(key, c.Element...), value)
}

// chosen is an element that goes into the store.
type chosen struct {
	kind, id, origin string
	at               string // the time that it is of, "" for an unknown one
	listed           when   // the time of its export
	member, pointer  string
	raw              []byte
}

// choose picks the newest of the elements of one id, and hands the memories to resolution.
func (a *adoption) choose(in *intake) error {
	if a.isEmpty() {
		return nil
	}
	a.memories, a.relations, a.embeddings = a.sorter(), a.sorter(), a.sorter()
	a.named = map[string][]string{}
	a.index, a.origins, a.ids, a.aliases = map[string][]byte{}, map[string]string{}, map[string]string{}, map[string]string{}
	var last chosen
	var front []byte
	for rec, err := range a.elements.Sorted() {
		if err != nil {
			return fmt.Errorf("sort adopted elements: %w", err)
		}
		next, err := readChosen(rec)
		if err != nil {
			return err
		}
		here := tupleString(tupleString(nil, next.kind), next.id)
		if !bytes.Equal(here, front) {
			if err := a.take(in, &last); err != nil {
				return err
			}
			front = here
		}
		last = next
	}
	if err := a.take(in, &last); err != nil {
		return err
	}
	return a.elements.Close()
}

func readChosen(rec extsort.Record) (c chosen, err error) {
	kind, rest, ok := bytes.Cut(rec.Key, []byte{0, 1})
	id, rest, ok2 := bytes.Cut(rest, []byte{0, 1})
	if !ok || !ok2 || len(rest) < 2*whenSize {
		return c, fmt.Errorf("sort adopted elements: %w", errRecord)
	}
	u := unpacker{left: rec.Value}
	c = chosen{kind: string(kind), id: string(bytes.ReplaceAll(id, []byte{0, 0xFF}, []byte{0})), origin: u.string(), member: u.string(), pointer: u.string()}
	if rest[0] != 0 {
		c.at = when(rest[:whenSize]).time()
	}
	c.listed = when(rest[whenSize : 2*whenSize])
	c.raw = bytes.Clone(rest[2*whenSize:])
	return c, u.err
}

// take files a chosen element.
func (a *adoption) take(in *intake, c *chosen) error {
	switch c.kind {
	case normalize.AdoptMemory:
		return a.takeMemory(in, c)
	case normalize.AdoptRelation:
		return a.relations.Add([]byte(c.id), c.raw)
	case normalize.AdoptEmbedding:
		return a.embeddings.Add([]byte(c.id), c.raw)
	case normalize.AdoptConversation:
		a.index[c.id] = c.raw
	}
	return nil
}

func (a *adoption) takeMemory(in *intake, c *chosen) error {
	m, err := pamio.ParseMemory(c.raw)
	if err != nil {
		in.stats.drop("adopt-unreadable")
		return nil
	}
	id := normalize.MemoryIDOf(m.Type, m.CustomType, m.Content)
	if id != c.id {
		a.aliases[c.id] = id
	}
	a.origins[id] = cmp.Or(c.origin, "?")
	key := append(append(observed(m.Temporal.CreatedAt).ascending(tupleString(nil, id)), c.listed...), c.id...)
	if err := a.memories.Add(key, append(packString(packString(packString(nil, c.id), c.at), c.origin), c.raw...)); err != nil {
		return fmt.Errorf("sort adopted memories: %w", err)
	}
	said := statementOf(m, c)
	if e := AccessOf(m.Access); e.Check() == nil && e != nil {
		if err := fileAccess(in.evidence, id, &accessSaying{At: observed(c.at), Edit: *e}); err != nil {
			return fmt.Errorf("sort adopted memories: %w", err)
		}
	}
	return in.statement(&said, m.Status != active)
}

// statementOf is an adopted memory as resolution sees it.
func statementOf(m *pamio.Memory, c *chosen) normalize.Candidate {
	said := normalize.Candidate{
		Type: m.Type, CustomType: m.CustomType, Content: m.Content, Confidence: 1, Platform: m.Provenance.Platform,
		Method: m.Provenance.ExtractionMethod, Extractor: m.Provenance.Extractor, Rule: adoptedRule,
		Evidence: []normalize.Evidence{{Member: c.member, Pointer: c.pointer, ObservedAt: c.at}},
	}
	if m.Confidence != nil {
		said.Confidence = cmp.Or(m.Confidence.Current, m.Confidence.Initial)
	}
	var meta struct {
		Slot struct {
			Attribute string `json:"attribute"`
			Value     string `json:"value"`
		} `json:"slot"`
	}
	// A slot is one of ours. That of a denial is not told from others, but there is none where
	// there is one value at a time.
	if json.Unmarshal(m.Metadata, &meta) == nil && normalize.IsOneValued(meta.Slot.Attribute) {
		said.Slot = &normalize.Slot{Attribute: meta.Slot.Attribute, Value: meta.Slot.Value}
	}
	return said
}
