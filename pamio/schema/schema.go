// Package schema holds JSON Schemas (Draft 2020-12) of the three PAM 1.0 documents and of the
// elements of their collections, so that a document can be validated as a stream: its elements one
// by one with [Memory], [Relation], [IndexEntry], [Message] or [Embedding], and what is left of it
// with the document's own.
//
// The schemas are written from the specification. They accept and refuse what the schemas published
// with it do.
package schema

import (
	"bytes"
	_ "embed"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The text of the schemas.
var (
	//go:embed memory-store.schema.json
	MemoryStore []byte
	//go:embed conversation.schema.json
	Conversation []byte
	//go:embed embeddings.schema.json
	Embeddings []byte
)

// Part names a document, or an element of its collection, that can be validated on its own.
type Part string

// The documents and their elements. A value is the location of the part in the schemas.
const (
	StoreDocument        Part = storeURL
	ConversationDocument Part = conversationURL
	EmbeddingsDocument   Part = embeddingsURL

	Memory     Part = storeURL + "#/$defs/memory"
	Relation   Part = storeURL + "#/$defs/relation"
	IndexEntry Part = storeURL + "#/$defs/indexEntry"
	Message    Part = conversationURL + "#/$defs/message"
	Embedding  Part = embeddingsURL + "#/$defs/embedding"
)

const (
	storeURL        = "urn:pamline:pam:1.0:memory-store"
	conversationURL = "urn:pamline:pam:1.0:conversation"
	embeddingsURL   = "urn:pamline:pam:1.0:embeddings"
)

// Parts lists all parts.
var Parts = []Part{
	StoreDocument, ConversationDocument, EmbeddingsDocument, Memory, Relation, IndexEntry, Message, Embedding,
}

// Compiled is the schema of the part, compiled at the first call. formats tells whether date-time
// and uri are asserted; the specification's own schemas leave them open. The result is safe for
// concurrent use.
func (p Part) Compiled(formats bool) (*jsonschema.Schema, error) {
	set := loose
	if formats {
		set = strict
	}
	all, err := set()
	if err != nil {
		return nil, err
	}
	s, ok := all[p]
	if !ok {
		return nil, fmt.Errorf("compile schema: there is no part %q", string(p))
	}
	return s, nil
}

// Validate holds a value against the part. value is what [Decode] gives. The error is a
// *jsonschema.ValidationError when the value does not fit; it lists every fault.
func (p Part) Validate(value any, formats bool) error {
	s, err := p.Compiled(formats)
	if err != nil {
		return err
	}
	return s.Validate(value)
}

// Decode reads JSON text into the form that is validated: numbers keep their text.
func Decode(text []byte) (any, error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("decode JSON: %w", err)
	}
	return v, nil
}

// The compiled schemas never change, so they are shared.
var (
	loose  = sync.OnceValues(func() (map[Part]*jsonschema.Schema, error) { return compile(false) })
	strict = sync.OnceValues(func() (map[Part]*jsonschema.Schema, error) { return compile(true) })
)

func compile(formats bool) (map[Part]*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.UseLoader(offline{})
	if formats {
		c.AssertFormat()
	}
	for url, text := range map[string][]byte{storeURL: MemoryStore, conversationURL: Conversation, embeddingsURL: Embeddings} {
		doc, err := Decode(text)
		if err != nil {
			return nil, fmt.Errorf("compile schema %s: %w", url, err)
		}
		if err := c.AddResource(url, doc); err != nil {
			return nil, fmt.Errorf("compile schema %s: %w", url, err)
		}
	}
	all := make(map[Part]*jsonschema.Schema, len(Parts))
	for _, p := range Parts {
		s, err := c.Compile(string(p))
		if err != nil {
			return nil, fmt.Errorf("compile schema %s: %w", p, err)
		}
		all[p] = s
	}
	return all, nil
}

// offline refuses every address: a schema is never fetched (PAM §3.2).
type offline struct{}

func (offline) Load(url string) (any, error) {
	return nil, fmt.Errorf("load schema %s: schemas are not fetched", url)
}
