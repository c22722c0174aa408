package pamio

import (
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Embedding is one vector of an embeddings file (PAM §12.3). Vector is inline; when it is kept
// elsewhere it is nil and Storage says where.
type Embedding struct {
	ID         string    `json:"id"`
	MemoryID   string    `json:"memory_id"`
	Model      string    `json:"model"`
	Dimensions int64     `json:"dimensions"`
	CreatedAt  string    `json:"created_at"`
	Vector     []float64 `json:"vector"`
	// Storage has no Format here.
	Storage *Storage `json:"storage"`
}

// AppendCanonical appends the embedding in RFC 8785 canonical form. It fails for a vector with a
// number that is not finite or with another length than Dimensions, and for strings that are not
// UTF-8; dst is returned as it was.
func (e *Embedding) AppendCanonical(dst []byte) ([]byte, error) {
	if e.Vector != nil && int64(len(e.Vector)) != e.Dimensions {
		return dst, fmt.Errorf("write embedding: %d numbers in a vector of %d dimensions", len(e.Vector), e.Dimensions)
	}
	if !allUTF8(e.ID, e.MemoryID, e.Model, e.CreatedAt) || e.Storage != nil && !allUTF8(e.Storage.Type, e.Storage.Ref) {
		return dst, errors.New("write embedding: a string is not UTF-8")
	}
	for i, f := range e.Vector {
		if !finite(f) {
			return dst, fmt.Errorf("write embedding: number %d of the vector is not finite", i)
		}
	}
	dst = appendMember(append(dst, '{'), "created_at", e.CreatedAt)
	dst = strconv.AppendInt(appendKey(dst, "dimensions"), e.Dimensions, 10)
	dst = appendMember(dst, "id", e.ID)
	dst = appendMember(dst, "memory_id", e.MemoryID)
	dst = appendMember(dst, "model", e.Model)
	if s := e.Storage; s != nil {
		dst = appendMember(append(appendKey(dst, "storage"), '{'), "ref", s.Ref)
		dst = append(appendMember(dst, "type", s.Type), '}')
	}
	if e.Vector != nil {
		dst = append(appendKey(dst, "vector"), '[')
		for i, f := range e.Vector {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendNumber(dst, f)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}'), nil
}

// ParseEmbedding reads one embedding object. Nulls and absent members are accepted.
func ParseEmbedding(data []byte) (*Embedding, error) {
	e := &Embedding{}
	if err := parseStrict(data, e); err != nil {
		return nil, fmt.Errorf("parse embedding: %w", err)
	}
	return e, nil
}

// WriteEmbeddings writes an embeddings file (PAM §12.2) around elements that a [Section] wrote.
// After an error w holds a part of it.
func WriteEmbeddings(w io.Writer, elements io.Reader) error {
	head := `{"schema":"` + EmbeddingsSchema + `","schema_version":"` + SchemaVersion + `"`
	if _, err := io.WriteString(w, head); err != nil {
		return fmt.Errorf("write embeddings: %w", err)
	}
	if err := writeSection(w, w, "embeddings", elements); err != nil {
		return err
	}
	if _, err := io.WriteString(w, "}\n"); err != nil {
		return fmt.Errorf("write embeddings: %w", err)
	}
	return nil
}

// ReadEmbeddings hands out the elements of an embeddings file, one at a time. maxValue is the
// greatest size of one in bytes; 0 is DefaultMaxElement, below 0 is no limit. Errors are those of
// [ReadStore].
func ReadEmbeddings(r io.Reader, maxValue int64, visit func(Element) error) error {
	rest, _, err := readCollections(r, maxValue, map[string]func(Element) error{"embeddings": visit})
	if err != nil {
		return err
	}
	var s struct {
		Schema        string `json:"schema"`
		SchemaVersion string `json:"schema_version"`
	}
	if err := parseStrict(rest, &s); err != nil {
		return fmt.Errorf("read embeddings: %w", err)
	}
	if err := checkSchema(EmbeddingsSchema, s.Schema, s.SchemaVersion); err != nil {
		return fmt.Errorf("read embeddings: %w", err)
	}
	return nil
}
