package pamio

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pamline/pamline/pamio/schema"
)

func sampleHeader() Header {
	return Header{
		SpecURI: "https://portable-ai-memory.org/spec/v1.0", ExportID: "0b5a1c2e-6d0f-4f6e-9a63-1a2b3c4d5e6f", ExportedBy: "pamline/1.0.0", ExportDate: "2026-03-01T12:00:00Z",
		Owner: Owner{ID: "owner-1", DID: "did:key:z6MkExample", CreatedAt: "2026-01-01T00:00:00Z"}, ExportType: "incremental", BaseExportID: "b", Since: "2026-01-01T00:00:00Z", TypeRegistry: "https://portable-ai-memory.org/types/",
	}
}

var sampleSignature = &Signature{Algorithm: "Ed25519", PublicKey: "z6MkExample", Value: "AAAA", SignedAt: "2026-03-01T12:00:01Z", KeyID: "did:key:z6MkExample#1"}

// sampleStore writes a store of two memories, a relation and an index entry.
func sampleStore(t testing.TB) []byte {
	t.Helper()
	var memories, relations, index bytes.Buffer
	ms, rs, is := NewSection(&memories), NewSection(&relations), NewSection(&index)
	for _, m := range []*Memory{sampleMemory(), leastMemory()} {
		text, err := m.AppendCanonical(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := ms.AddOrdered(m.ID, text); err != nil {
			t.Fatal(err)
		}
	}
	for _, add := range []func() error{
		func() error {
			text, err := (&Relation{ID: "r", From: "m", To: sampleMemory().ID, Type: "supports", CreatedAt: "2026-01-01T00:00:00Z"}).AppendCanonical(nil)
			return errors.Join(err, rs.Add(text))
		},
		func() error {
			text, err := (&IndexEntry{ID: "c-1", Platform: "chatgpt", Temporal: Span{CreatedAt: "2026-01-01T00:00:00Z"}, DerivedMemories: []string{sampleMemory().ID}, Storage: &Storage{Type: "file", Ref: "conversations/c-1.json", Format: "json"}}).AppendCanonical(nil)
			return errors.Join(err, is.Add(text))
		},
	} {
		if err := add(); err != nil {
			t.Fatal(err)
		}
	}
	if int64(memories.Len()) != ms.Size() || ms.Count() != 2 || ms.Digest() != ms.Integrity().Checksum {
		t.Errorf("the section says %d bytes and %d elements of %d and 2", ms.Size(), ms.Count(), memories.Len())
	}
	if want := Digest(sha256.Sum256([]byte("[" + index.String() + "]"))); is.Digest() != want {
		t.Errorf("digest of the index %s, want %s", is.Digest(), want)
	}
	var out bytes.Buffer
	if err := WriteStore(&out, sampleHeader(), &memories, &relations, &index, ms.Integrity(), sampleSignature); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestStoreIsWrittenInAFixedForm(t *testing.T) {
	checkGolden(t, "memory-store.json", sampleStore(t))
	v, err := schema.Decode(sampleStore(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.StoreDocument.Validate(v, true); err != nil {
		t.Error(err)
	}
	var out bytes.Buffer
	var none Checksummer
	if err := WriteStore(&out, Header{Owner: Owner{ID: "o"}}, nil, strings.NewReader(""), nil, Integrity{Checksum: none.Sum()}, nil); err != nil {
		t.Fatal(err)
	}
	const want = `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"},"integrity":{"canonicalization":"RFC8785","checksum":"sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945","total_memories":0},"memories":[],"relations":[],"conversations_index":[]}` + "\n"
	if out.String() != want {
		t.Errorf("empty store\n%s\nwant\n%s", out.String(), want)
	}
}

func TestStoreWithOtherMemoriesThanItsChecksumIsRefused(t *testing.T) {
	var sum Checksummer
	if err := sum.Add("m", []byte(`{"id":"m"}`)); err != nil {
		t.Fatal(err)
	}
	err := WriteStore(io.Discard, sampleHeader(), strings.NewReader(`{"id":"n"}`), nil, nil, sum.Integrity(), nil)
	if !errors.Is(err, ErrSectionChanged) {
		t.Errorf("%v, want ErrSectionChanged", err)
	}
}

// limitWriter fails behind n bytes.
type limitWriter struct{ n int }

var errFull = errors.New("disk full")

func (w *limitWriter) Write(p []byte) (int, error) {
	if w.n < len(p) {
		return w.n, errFull
	}
	w.n -= len(p)
	return len(p), nil
}

func TestWriteAndReadErrorsAreReturned(t *testing.T) {
	whole := sampleStore(t)
	var sections []string
	for _, key := range []string{"memories", "relations", "conversations_index"} {
		var raw map[string]json.RawMessage
		if err := json.Unmarshal(whole, &raw); err != nil {
			t.Fatal(err)
		}
		sections = append(sections, strings.Trim(string(raw[key]), "[]"))
	}
	var s Scalars
	if err := json.Unmarshal(whole, &s); err != nil {
		t.Fatal(err)
	}
	write := func(w io.Writer) error {
		return WriteStore(w, sampleHeader(), strings.NewReader(sections[0]), strings.NewReader(sections[1]), strings.NewReader(sections[2]), *s.Integrity, sampleSignature)
	}
	if err := write(&limitWriter{len(whole)}); err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		if err := write(&limitWriter{n}); !errors.Is(err, errFull) {
			t.Fatalf("a disk of %d bytes: %v", n, err)
		}
	}
	broken := errors.New("broken")
	if err := WriteStore(io.Discard, Header{}, iotest.ErrReader(broken), nil, nil, Integrity{}, nil); !errors.Is(err, broken) {
		t.Errorf("%v, want the reader's error", err)
	}
	section := NewSection(&limitWriter{3})
	for range 3 {
		if err := section.Add([]byte("{}")); err != nil && !errors.Is(err, errFull) {
			t.Fatal(err)
		}
	}
	if section.Count() != 1 {
		t.Errorf("%d elements counted, one was written", section.Count())
	}
}

func TestSectionsKeepTheOrderOfIDs(t *testing.T) {
	var out bytes.Buffer
	s := NewSection(&out)
	for _, step := range []struct {
		id   string
		want error
	}{{"B", nil}, {"A", ErrUnsorted}, {"B", ErrDuplicateID}, {"a", nil}, {"é", nil}, {"z", ErrUnsorted}, {"\ue000", nil}, {"\U0001F600", nil}, {"\uffff", ErrUnsorted}} {
		if err := s.AddOrdered(step.id, []byte("1")); !errors.Is(err, step.want) {
			t.Errorf("id %q: %v, want %v", step.id, err, step.want)
		}
	}
	if out.String() != "1,1,1,1,1" || s.Count() != 5 {
		t.Errorf("written %q, %d elements", out.String(), s.Count())
	}
}
