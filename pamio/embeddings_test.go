package pamio

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio/schema"
)

func TestEmbeddingsAreWrittenAndRead(t *testing.T) {
	var elements, out bytes.Buffer
	s := NewSection(&elements)
	for i := range 3 {
		e := &Embedding{ID: fmt.Sprint("e", i), MemoryID: fmt.Sprint("m", i), Model: "tiny", Dimensions: 2, CreatedAt: "2026-01-01T00:00:00Z", Vector: []float64{0.25, float64(i)}}
		text, err := e.AppendCanonical(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.AddOrdered(e.ID, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteEmbeddings(&out, &elements); err != nil {
		t.Fatal(err)
	}
	v, err := schema.Decode(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.EmbeddingsDocument.Validate(v, true); err != nil {
		t.Error(err)
	}
	n := 0
	err = ReadEmbeddings(bytes.NewReader(out.Bytes()), 0, func(e Element) error {
		got, err := ParseEmbedding(e.Raw)
		if err != nil || got.Vector[1] != float64(n) || e.Pointer != fmt.Sprint("/embeddings/", n) {
			t.Errorf("%s: %+v, %v", e.Pointer, got, err)
		}
		n++
		return nil
	})
	if err != nil || n != 3 {
		t.Errorf("%d read, %v", n, err)
	}
	if err := ReadEmbeddings(bytes.NewReader(sampleStore(t)), 0, nil); !errors.Is(err, ErrNotPAM) {
		t.Errorf("a store as embeddings: %v", err)
	}
	if err := WriteEmbeddings(&limitWriter{90}, strings.NewReader(strings.Repeat("1,", 50))); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}
