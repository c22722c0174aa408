package pamio

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/gowebpki/jcs"

	"github.com/pamline/pamline/pamio/schema"
)

func ptr[T any](v T) *T { return &v }

// sampleMemory has every field.
func sampleMemory() *Memory {
	return &Memory{
		ID: "5b0e7a3c-1d2f-5a6b-8c9d-0e1f2a3b4c5d", Type: "custom", CustomType: "allergy", Status: "active",
		Content: "Does not eat walnuts – ever", ContentHash: ContentHash("Does not eat walnuts – ever"), Summary: "No \"walnuts\"", Tags: []string{"food", "health"},
		Confidence:   &Confidence{Initial: 0.5, Current: 0.9974, DecayModel: "none", LastReinforced: "2026-02-01T00:00:00Z"},
		Temporal:     Temporal{CreatedAt: "2026-01-05T10:00:00Z", UpdatedAt: "2026-02-01T00:00:00.250000Z", ValidFrom: "2026-01-05T10:00:00Z", ValidUntil: "2027-01-05T10:00:00Z", SupersededBy: "other"},
		Provenance:   Provenance{Platform: "chatgpt", PlatformUserID: "user-9", ConversationRef: "c-1", MessageRef: "m-1", ExtractionMethod: "explicit_user_input", ExtractedAt: "2026-02-02T00:00:00Z", Extractor: "pamline-rules/1.0.0"},
		Access:       &Access{Visibility: "shared", Exportable: true, SharedWith: []Grant{{Entity: "cook", Permissions: []string{"read"}}}},
		EmbeddingRef: "e-1", Metadata: RawJSON(`{"language":"en","evidence":[{"start":0,"end":4}]}`),
	}
}

func leastMemory() *Memory {
	return &Memory{
		ID: "m", Type: "fact", Status: "active", Content: "x", ContentHash: ContentHash("x"),
		Temporal: Temporal{CreatedAt: "2026-01-05T10:00:00Z"}, Provenance: Provenance{Platform: "claude"},
	}
}

// checkCanonicalForm holds text against the oracle, the schema and a decoder.
func checkCanonicalForm(t *testing.T, part schema.Part, text []byte, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	want, err := jcs.Transform(text)
	if err != nil || !bytes.Equal(text, want) {
		t.Fatalf("%s is not canonical: %s, %v", text, want, err)
	}
	if !isCanonical(text) {
		t.Fatalf("%s is not recognized as canonical", text)
	}
	if bytes.Contains(text, []byte(":null")) {
		t.Fatalf("%s has a null", text)
	}
	v, err := schema.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := part.Validate(v, true); err != nil {
		t.Fatal(err)
	}
}

func TestMemoriesAreWrittenInCanonicalForm(t *testing.T) {
	for _, m := range []*Memory{sampleMemory(), leastMemory()} {
		text, err := m.AppendCanonical(nil)
		checkCanonicalForm(t, schema.Memory, text, err)
		back, err := ParseMemory(text)
		if err != nil {
			t.Fatal(err)
		}
		again, err := back.AppendCanonical(nil)
		if err != nil || !bytes.Equal(again, text) {
			t.Errorf("written, read and written:\n%s\n%s, %v", text, again, err)
		}
	}
}

func TestMemoryProfile(t *testing.T) {
	text, err := (&Memory{ID: "m", Type: "fact", Content: "x", ContentHash: "h", Temporal: Temporal{CreatedAt: "t"}, Provenance: Provenance{Platform: "p"}}).AppendCanonical(nil)
	const want = `{"content":"x","content_hash":"h","id":"m","provenance":{"platform":"p"},"status":"active","tags":[],"temporal":{"created_at":"t"},"type":"fact"}`
	if err != nil || string(text) != want {
		t.Errorf("least memory %s, %v, want %s", text, err, want)
	}
}

func TestOtherElementsAreWrittenInCanonicalForm(t *testing.T) {
	r := &Relation{ID: "r", From: "a", To: "b", Type: "extends", Confidence: ptr(0.25), CreatedAt: "2026-01-01T00:00:00Z"}
	text, err := r.AppendCanonical(nil)
	checkCanonicalForm(t, schema.Relation, text, err)
	if back, err := ParseRelation(text); err != nil || !reflect.DeepEqual(back, r) {
		t.Errorf("relation read back: %+v, %v", back, err)
	}
	e := &IndexEntry{
		ID: "c", Platform: "grok", Title: ptr(""), MessageCount: ptr(int64(0)), Temporal: Span{CreatedAt: "2026-01-01T00:00:00Z", UpdatedAt: "2026-01-02T00:00:00Z"},
		Tags: []string{"a"}, DerivedMemories: []string{"m"}, Storage: &Storage{Type: "file", Ref: "conversations/c.json", Format: "json"},
	}
	text, err = e.AppendCanonical(nil)
	checkCanonicalForm(t, schema.IndexEntry, text, err)
	if back, err := ParseIndexEntry(text); err != nil || !reflect.DeepEqual(back, e) {
		t.Errorf("index entry read back: %+v, %v", back, err)
	}
	v := &Embedding{ID: "e", MemoryID: "m", Model: "x", Dimensions: 3, CreatedAt: "2026-01-01T00:00:00Z", Vector: []float64{0.5, -1, 1e-9}}
	text, err = v.AppendCanonical(nil)
	checkCanonicalForm(t, schema.Embedding, text, err)
	if back, err := ParseEmbedding(text); err != nil || !reflect.DeepEqual(back, v) {
		t.Errorf("embedding read back: %+v, %v", back, err)
	}
	v = &Embedding{ID: "e", MemoryID: "m", Model: "x", Dimensions: 3, CreatedAt: "2026-01-01T00:00:00Z", Storage: &Storage{Type: "uri", Ref: "https://example.org/e"}}
	text, err = v.AppendCanonical(nil)
	checkCanonicalForm(t, schema.Embedding, text, err)
}

func TestElementsWithoutCanonicalFormAreRefused(t *testing.T) {
	for name, change := range map[string]func(*Memory){
		"content":    func(m *Memory) { m.Content = "\xff" },
		"tag":        func(m *Memory) { m.Tags = []string{"\xff"} },
		"grant":      func(m *Memory) { m.Access.SharedWith[0].Entity = "\xff" },
		"platform":   func(m *Memory) { m.Provenance.Platform = "\xff" },
		"time":       func(m *Memory) { m.Temporal.ValidUntil = "\xff" },
		"confidence": func(m *Memory) { m.Confidence.Current = math.NaN() },
		"metadata":   func(m *Memory) { m.Metadata = RawJSON(`{"n":9007199254740993}`) },
		"big double": func(m *Memory) { m.Metadata = RawJSON(`{"n":1e17}`) },
	} {
		m := sampleMemory()
		change(m)
		if got, err := m.AppendCanonical([]byte("x")); err == nil || string(got) != "x" {
			t.Errorf("%s: %s, %v, want an error and nothing written", name, got, err)
		}
	}
	if _, err := (&Relation{Confidence: ptr(math.Inf(1))}).AppendCanonical(nil); err == nil {
		t.Error("an infinite confidence was written")
	}
	if _, err := (&Relation{ID: "\xff"}).AppendCanonical(nil); err == nil {
		t.Error("a relation that is not UTF-8 was written")
	}
	if _, err := (&IndexEntry{Title: ptr("\xff")}).AppendCanonical(nil); err == nil {
		t.Error("a title that is not UTF-8 was written")
	}
	if _, err := (&Embedding{Dimensions: 2, Vector: []float64{1}}).AppendCanonical(nil); err == nil {
		t.Error("a vector of another length was written")
	}
	if _, err := (&Embedding{Dimensions: 1, Vector: []float64{math.NaN()}}).AppendCanonical(nil); err == nil {
		t.Error("a vector with NaN was written")
	}
}

func TestParsingAcceptsNullsAndFillsDefaults(t *testing.T) {
	m, err := ParseMemory([]byte(` {"id":"m","type":"fact","custom_type":null,"status":null,"content":"x","content_hash":"h","summary":null,"tags":null,"confidence":null,
		"temporal":{"created_at":"t","updated_at":null,"valid_until":null},"provenance":{"platform":"p","extracted_at":null},"access":{"visibility":null},"embedding_ref":null,"metadata":null,"new_in_1_1":{"a":[1]}} `))
	if err != nil {
		t.Fatal(err)
	}
	want := &Memory{ID: "m", Type: "fact", Status: "active", Content: "x", ContentHash: "h", Temporal: Temporal{CreatedAt: "t"}, Provenance: Provenance{Platform: "p"}, Access: &Access{Visibility: "private", Exportable: true}}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("got %+v, want %+v", m, want)
	}
	if m, err = ParseMemory([]byte(`{"access":{"exportable":false,"visibility":"public"}}`)); err != nil || m.Access.Exportable || m.Access.Visibility != "public" {
		t.Errorf("access %+v, %v", m.Access, err)
	}
	if m, err = ParseMemory([]byte(`{"ID":"m","Content":"x"}`)); err != nil || m.ID != "" || m.Content != "" {
		t.Errorf("keys in another case were taken: %+v, %v", m, err)
	}
	if _, err := ParseIndexEntry([]byte(`{"id":"c","title":null,"message_count":null,"storage":null,"tags":null}`)); err != nil {
		t.Error(err)
	}
	if _, err := ParseRelation([]byte(`{"id":"r","confidence":null}`)); err != nil {
		t.Error(err)
	}
}

func TestParsingRefusesAmbiguousOrWrongJSON(t *testing.T) {
	for _, s := range []string{
		``, `{`, `[]`, `null`, `"x"`, `{"id":1}`, `{"id":"a","id":"b"}`, `{"id":"\ud800"}`, "{\"id\":\"\xff\"}", `{"tags":"a"}`, `{"confidence":[]}`, `{"x":{"a":1,"a":2}}`, `{"temporal":1}`,
	} {
		if m, err := ParseMemory([]byte(s)); err == nil {
			t.Errorf("%q was read as %+v", s, m)
		}
	}
	const secret = "a very private sentence"
	if _, err := ParseMemory([]byte(`{"content":{"` + secret + `":1},"id":"` + secret + `"}`)); err == nil || bytes.Contains([]byte(err.Error()), []byte("private")) {
		t.Errorf("error %v, want one that does not quote the document", err)
	}
}

func TestRandomMemoriesSurviveWritingAndReading(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	for range 500 {
		m := leastMemory()
		m.ID, m.Content, m.Summary, m.CustomType = "x"+randomString(rnd), "c"+randomString(rnd), randomString(rnd), randomString(rnd)
		m.Confidence = &Confidence{Initial: rnd.Float64(), Current: rnd.Float64() * 1e-9}
		raw := randomJSON(rnd, []byte(`{"k":`), 0)
		raw = append(raw, '}')
		if c, err := Canonicalize(raw); err == nil && isCanonical(c) {
			m.Metadata = raw
		}
		text, err := m.AppendCanonical(nil)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(text) || !isCanonical(text) {
			t.Fatalf("%s is not canonical", text)
		}
		back, err := ParseMemory(text)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := back.AppendCanonical(nil); err != nil || !bytes.Equal(again, text) {
			t.Fatalf("%s\n%s, %v", text, again, err)
		}
	}
}

func BenchmarkAppendCanonical(b *testing.B) {
	m := sampleMemory()
	text, err := m.AppendCanonical(nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if text, err = m.AppendCanonical(text[:0]); err != nil {
			b.Fatal(err)
		}
	}
}
