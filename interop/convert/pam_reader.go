package convert

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// survey is what must be known of a store before its memories are converted.
type survey struct {
	// sorted tells that the memories stand in the order of their ids.
	sorted   bool
	withheld map[string]bool
	scalars  *pamio.Scalars
	// collections are those that the store has.
	collections []string
	// manifest is the metadata of the carrier of a .mem manifest, if there is one.
	manifest *carrier
	// native tells that something is in the store that came from no other format.
	native bool
}

// carrier is the metadata of a memory that a record of another format was made of.
type carrier struct {
	Kind string `json:"kind"`
	// N is the number of the record in its stream, Raw its exact text.
	N   int64  `json:"n"`
	Raw string `json:"raw"`
	// Sig is the signature of a manifest, Received the kinds whose records have an order of their
	// own.
	Sig      string   `json:"sig,omitempty"`
	Received []string `json:"received,omitempty"`
	// Stub is the tombstone that a stub stands for.
	Stub string `json:"stub,omitempty"`
}

// carrierOf is the carrier of a memory under a key of its metadata, nil if it has none.
func carrierOf(m *pamio.Memory, key string) *carrier {
	if m.Metadata == nil {
		return nil
	}
	d, err := jsonscan.Parse(m.Metadata, 0)
	if err != nil || d.Root().Get(key).Kind() != jsonscan.Object {
		return nil
	}
	c := &carrier{}
	if json.Unmarshal(d.Root().Get(key).Raw(), c) != nil {
		return nil
	}
	return c
}

// eachMemory reads the memories of a bundle.
func eachMemory(b *pamio.Bundle, v pamio.Visitor, visit func(e pamio.Element, m *pamio.Memory) error) (err error) {
	f, err := b.OpenStore()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	v.MaxValue = -1
	if visit != nil {
		v.Memory = func(e pamio.Element) error {
			m, err := pamio.ParseMemory(e.Raw)
			if err != nil {
				return fmt.Errorf("%s: %w", e.Pointer, err)
			}
			return visit(e, m)
		}
	}
	return pamio.ReadStore(f, v)
}

func surveyStore(b *pamio.Bundle, key string) (*survey, error) {
	s := &survey{sorted: true, withheld: map[string]bool{}}
	last := ""
	err := eachMemory(b, pamio.Visitor{Scalars: func(x *pamio.Scalars) error { s.scalars = x; return nil }}, func(e pamio.Element, m *pamio.Memory) error {
		s.sorted = s.sorted && (e.Index == 0 || last < m.ID)
		last = m.ID
		if m.Access != nil && !m.Access.Exportable {
			s.withheld[m.ID] = true
			return nil
		}
		switch c := carrierOf(m, key); {
		case c == nil:
			s.native = true
		case c.Kind == "manifest" || c.Kind == "document":
			s.manifest = c
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read store: %w", err)
	}
	if s.collections, err = collectionsOf(b); err != nil {
		return nil, err
	}
	return s, nil
}

// collectionsOf are the collections that a store has, empty ones included.
func collectionsOf(b *pamio.Bundle) (_ []string, err error) {
	f, err := b.OpenStore()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	framer := jsonscan.NewFramer(f, jsonscan.FrameOptions{Wrappers: []string{"memories", "relations", "conversations_index"}})
	var buf []byte
	for {
		frame, err := framer.Next(buf)
		if err != nil {
			return nil, fmt.Errorf("read store: %w", err)
		}
		if frame.Rest {
			return frame.Wrappers, nil
		}
		buf = frame.Raw
	}
}

// eachFile gives the files of a bundle that are neither the store, nor the embeddings, nor
// documents of conversations, nor lists of digests.
func eachFile(b *pamio.Bundle, refs map[string]bool, visit func(name string, n int, data []byte) error) error {
	if b.StoreName() != pamio.StoreFile {
		return nil // a store file alone
	}
	return fs.WalkDir(b.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !e.Type().IsRegular() {
			return err
		}
		switch name {
		case pamio.StoreFile, pamio.EmbeddingsFile, "SHA256SUMS", "SHA256SUMS.sig":
			return nil
		}
		if refs[name] || path.Base(name)[0] == '.' {
			return nil
		}
		f, err := b.FS().Open(name)
		if err != nil {
			return err
		}
		defer f.Close() // only read
		buf := make([]byte, 768<<10)
		for i := 0; ; i++ {
			n, err := io.ReadFull(f, buf)
			if n > 0 || i == 0 {
				if err := visit(name, i, buf[:n]); err != nil {
					return err
				}
			}
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
}

// filePart is a piece of a file as a line.
type filePart struct {
	Path string `json:"path"`
	N    int    `json:"n"`
	Data string `json:"data"`
}

func newFilePart(name string, n int, data []byte) ([]byte, error) {
	return json.Marshal(filePart{name, n, base64.StdEncoding.EncodeToString(data)})
}

// document is the document of a conversation as a line, its text a string. That of compact JSON is
// written as JSON, in doc.
type document struct {
	ID   string `json:"id"`
	Ref  string `json:"ref"`
	Text string `json:"text"`
}

func newDocument(id, ref string, raw []byte) ([]byte, error) {
	end := ""
	body := raw
	if n := len(raw); n > 0 && raw[n-1] == '\n' {
		end, body = "\n", raw[:n-1]
	}
	parsed, err := jsonscan.Parse(body, 0)
	if err == nil && !parsed.Root().Odd() && string(parsed.Root().AppendCompact(nil)) == string(body) {
		line := append(pamio.AppendString([]byte(`{"id":`), id), `,"ref":`...)
		line = append(pamio.AppendString(line, ref), `,"doc":`...)
		line = append(line, body...)
		if end != "" {
			line = append(line, `,"end":"\n"`...)
		}
		return append(line, '}'), nil
	}
	return json.Marshal(document{id, ref, string(raw)})
}

// parseDocument gives the text of a document again.
func parseDocument(line []byte) (ref string, text []byte, err error) {
	d, err := jsonscan.Parse(line, 0)
	if err != nil {
		return "", nil, err
	}
	n := d.Root()
	if t := n.Get("text"); t.Exists() {
		return n.Get("ref").Str(), []byte(t.Str()), nil
	}
	return n.Get("ref").Str(), append(append([]byte{}, n.Get("doc").Raw()...), n.Get("end").Str()...), nil
}
