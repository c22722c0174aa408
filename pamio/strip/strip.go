// Package strip takes the identifiers out of PAM documents, for a bundle that is given to others
// (PAM §21.3): what names a person, an account, a file or a record of a provider.
//
// It works by a list of what stays, not of what goes: a member that is not on the list is left out,
// members that PAM does not know included. docs/exchange.md has the list. Ids become pseudonyms:
// the same id becomes the same pseudonym wherever it stands, so that references still hold. Texts
// (contents, summaries, messages, titles, tags, tool inputs) stay as they are, whatever they name.
package strip

import (
	"crypto/hmac"
	"crypto/sha256"

	"github.com/google/uuid"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Stripper strips documents. Pseudonyms are made with its key: without the key nobody can compare
// them with the pseudonyms of ids that they know.
type Stripper struct{ key []byte }

// New makes a stripper. The same key gives the same pseudonyms; a random key of 32 bytes makes them
// good for one export.
func New(key []byte) *Stripper { return &Stripper{key: key} }

// The spaces of ids. The same text in two of them is two ids.
const (
	owners        = "owner"
	exports       = "export"
	memories      = "memory"
	conversations = "conversation"
	messages      = "message"
	relations     = "relation"
	embeddings    = "embedding"
	calls         = "call"
)

// pseudonym is a UUID of version 4 in the place of an id; "" stays "".
func (s *Stripper) pseudonym(space string, id ...string) string {
	if id[len(id)-1] == "" {
		return ""
	}
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte(space))
	for _, part := range id {
		h.Write(append([]byte{0}, part...))
	}
	var u uuid.UUID
	copy(u[:], h.Sum(nil))
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
	return u.String()
}

func (s *Stripper) pseudonyms(space string, ids []string, scope ...string) []string {
	var out []string
	for _, id := range ids {
		out = append(out, s.pseudonym(space, append(scope[:len(scope):len(scope)], id)...))
	}
	return out
}

// Header is the header of a stripped store. It has no DID and no time at which the owner began.
func (s *Stripper) Header(h pamio.Header) pamio.Header {
	h.Owner = pamio.Owner{ID: s.pseudonym(owners, h.Owner.ID)}
	h.ExportID = s.pseudonym(exports, h.ExportID)
	h.BaseExportID = s.pseudonym(exports, h.BaseExportID)
	return h
}

// Memory is a memory without the account, the grants (they name people) and all metadata but those
// on the list.
func (s *Stripper) Memory(m *pamio.Memory) *pamio.Memory {
	out := *m
	out.ID = s.pseudonym(memories, m.ID)
	out.EmbeddingRef = s.pseudonym(embeddings, m.EmbeddingRef)
	out.Temporal.SupersededBy = s.pseudonym(memories, m.Temporal.SupersededBy)
	p := &out.Provenance
	p.PlatformUserID = ""
	p.MessageRef = s.pseudonym(messages, p.ConversationRef, p.MessageRef)
	p.ConversationRef = s.pseudonym(conversations, p.ConversationRef)
	if m.Access != nil {
		out.Access = &pamio.Access{Visibility: m.Access.Visibility, Exportable: m.Access.Exportable}
	}
	out.Metadata = s.metadata(m.Metadata)
	return &out
}

// keptMetadata are the members of a memory's metadata that stay, with the kind that they must have.
var keptMetadata = map[string]jsonscan.Kind{
	"domain":         jsonscan.String,
	"evidence_count": jsonscan.Number,
	"inferred":       jsonscan.Bool,
	"language":       jsonscan.String,
}

func (s *Stripper) metadata(raw pamio.RawJSON) pamio.RawJSON {
	d, err := jsonscan.Parse(raw, 0)
	if raw == nil || err != nil {
		return nil
	}
	out := []byte{'{'}
	add := func(key string, value []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(pamio.AppendString(out, key), ':'), value...)
	}
	for k, v := range d.Root().Fields() {
		key := k.Str()
		if kind, kept := keptMetadata[key]; kept && v.Kind() == kind {
			add(key, v.Raw())
		} else if key == "duplicate_of" && v.Kind() == jsonscan.String {
			add(key, pamio.AppendString(nil, s.pseudonym(memories, v.Str())))
		}
	}
	if len(out) == 1 {
		return nil
	}
	return append(out, '}')
}

// Relation is a relation between pseudonyms.
func (s *Stripper) Relation(r *pamio.Relation) *pamio.Relation {
	out := *r
	out.ID = s.pseudonym(relations, r.ID)
	out.From, out.To = s.pseudonym(memories, r.From), s.pseudonym(memories, r.To)
	return &out
}

// IndexEntry is an index entry. Its storage is the file that [Stripper.ConversationFile] names;
// hasFile tells whether there is one. Storage of other types names places, and is left out.
func (s *Stripper) IndexEntry(e *pamio.IndexEntry, hasFile bool) *pamio.IndexEntry {
	out := *e
	out.ID = s.pseudonym(conversations, e.ID)
	out.DerivedMemories = s.pseudonyms(memories, e.DerivedMemories)
	out.Storage = nil
	if hasFile {
		out.Storage = &pamio.Storage{Type: "file", Ref: s.ConversationFile(e.ID), Format: "json"}
	}
	return &out
}

// ConversationFile is the name in the bundle of a conversation with that id in the source.
func (s *Stripper) ConversationFile(id string) string {
	return pamio.ConversationsFolder + "/" + s.pseudonym(conversations, id) + ".json"
}

// Embedding is an embedding. A vector that is kept elsewhere is not referred to.
func (s *Stripper) Embedding(e *pamio.Embedding) *pamio.Embedding {
	out := *e
	out.ID, out.MemoryID, out.Storage = s.pseudonym(embeddings, e.ID), s.pseudonym(memories, e.MemoryID), nil
	return &out
}
