package pamio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pamline/pamline/pamio/jsonscan"
)

func TestStoreIsReadInAnyOrderOfMembers(t *testing.T) {
	var raw map[string]json.RawMessage
	whole := sampleStore(t)
	if err := json.Unmarshal(whole, &raw); err != nil {
		t.Fatal(err)
	}
	keys := make([]string, 0, len(raw))
	for k := range raw {
		keys = append(keys, k)
	}
	rnd := rand.New(rand.NewPCG(41, 42))
	for range 20 {
		rnd.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		var src strings.Builder
		for i, k := range keys {
			src.WriteString(map[bool]string{true: "{\n ", false: " ,\n "}[i == 0] + `"` + k + `" : ` + strings.ReplaceAll(string(raw[k]), "},{", "} ,\n{"))
		}
		src.WriteString("\n}\n")
		var pointers []string
		collect := func(e Element) error {
			if !strings.HasPrefix(src.String()[e.Offset:], string(e.Raw)) {
				t.Errorf("%s is not at %d", e.Pointer, e.Offset)
			}
			pointers = append(pointers, e.Pointer)
			return nil
		}
		var scalars *Scalars
		err := ReadStore(iotest.OneByteReader(strings.NewReader(src.String())), Visitor{Memory: collect, Relation: collect, IndexEntry: collect, Scalars: func(s *Scalars) error { scalars = s; return nil }})
		if err != nil {
			t.Fatal(err)
		}
		if len(pointers) != 4 || scalars == nil || scalars.Header != sampleHeader() || *scalars.Signature != *sampleSignature || scalars.Integrity.TotalMemories != 2 {
			t.Errorf("read %v, %+v", pointers, scalars)
		}
		for i, p := range pointers {
			if p == "/memories/1" && pointers[i-1] != "/memories/0" {
				t.Errorf("pointers %v", pointers)
			}
		}
	}
}

func TestReadingStoresRefuses(t *testing.T) {
	head := `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"}`
	stop := errors.New("stop")
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"nothing":              {``, ErrNotPAM},
		"a conversation":       {`{"schema":"portable-ai-memory-conversation","schema_version":"1.0","memories":[]}`, ErrNotPAM},
		"an array":             {`[` + head + `}]`, ErrNotPAM},
		"two stores":           {head + `,"memories":[]}` + head + `}`, ErrNotPAM},
		"version 2":            {`{"schema":"portable-ai-memory","schema_version":"2.0","memories":[]}`, ErrVersion},
		"an element too big":   {head + `,"memories":["` + strings.Repeat("x", 200) + `"]}`, ErrElementTooBig},
		"a rest too big":       {head + `,"relations":[],"x":"` + strings.Repeat("x", 200) + `"}`, ErrElementTooBig},
		"a duplicate scalar":   {`{"schema":"x","schema":"portable-ai-memory","schema_version":"1.0","memories":[]}`, ErrUnsafeJSON},
		"memories twice":       {head + `,"memories":[],"memories":[]}`, ErrUnsafeJSON},
		"memories in two ways": {head + `,"memories":{},"memories":[]}`, ErrUnsafeJSON},
		"a callback that ends": {head + `,"conversations_index":[{}]}`, stop},
	} {
		err := ReadStore(strings.NewReader(c.text), Visitor{MaxValue: 150, IndexEntry: func(Element) error { return stop }})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	var truncated *jsonscan.TruncatedError
	if err := ReadStore(strings.NewReader(head+`,"memories":[{"id"`), Visitor{}); !errors.As(err, &truncated) {
		t.Errorf("a store that breaks off: %v", err)
	}
	var seen Scalars
	if err := ReadStore(strings.NewReader(head+`,"memories":{"not":"an array"}}`), Visitor{MaxValue: -1, Scalars: func(s *Scalars) error { seen = *s; return nil }}); err != nil || !bytes.Contains(seen.Raw, []byte(`"not"`)) {
		t.Errorf("memories that are no array: %v, rest %s", err, seen.Raw)
	}
}

// storeStream is a store of n memories that is never whole in memory.
func storeStream(n int) (r io.Reader, wait func() error) {
	memories := func(w io.Writer) (Integrity, error) {
		s := NewSection(w)
		m := leastMemory()
		m.Content = strings.Repeat("likes green tea ", 20)
		var text []byte
		for i := range n {
			m.ID = fmt.Sprintf("m-%09d", i)
			var err error
			if text, err = m.AppendCanonical(text[:0]); err != nil {
				return Integrity{}, err
			}
			if err := s.AddOrdered(m.ID, text); err != nil {
				return Integrity{}, err
			}
		}
		return s.Integrity(), nil
	}
	pr, pw := io.Pipe()
	done := make(chan error, 1)
	go func() {
		in, err := memories(io.Discard)
		if err == nil {
			mr, mw := io.Pipe()
			go func() { _, err := memories(mw); mw.CloseWithError(err) }()
			err = WriteStore(pw, sampleHeader(), mr, nil, nil, in, nil)
		}
		pw.CloseWithError(err)
		done <- err
	}()
	return pr, func() error { return <-done }
}

func TestMemoryDoesNotGrowWithTheStore(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	const n = 25_000 // some 13 MB
	r, wait := storeStream(n)
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var sum Checksummer
	var peak uint64
	var integrity *Integrity
	err := ReadStore(r, Visitor{
		Memory: func(e Element) error {
			m, err := ParseMemory(e.Raw)
			if err != nil {
				return err
			}
			if e.Index%10_000 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				peak = max(peak, now.HeapAlloc)
			}
			return sum.Add(m.ID, e.Raw)
		},
		Scalars: func(s *Scalars) error { integrity = s.Integrity; return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	if sum.Integrity() != *integrity || integrity.TotalMemories != n {
		t.Errorf("read %+v, declared %+v", sum.Integrity(), *integrity)
	}
	if grown := int64(peak) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

func FuzzReadStore(f *testing.F) {
	f.Add(sampleStore(f))
	f.Add([]byte(`{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"},"memories":[{},null],"relations":[[]],"integrity":null,"signature":{}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		check := func(e Element) error {
			if !bytes.HasPrefix(text[e.Offset:], e.Raw) && json.Valid(text) {
				t.Fatalf("%s is not at %d of %q", e.Pointer, e.Offset, text)
			}
			if m, err := ParseMemory(e.Raw); err == nil {
				if out, err := m.AppendCanonical(nil); err == nil && !isCanonical(out) {
					t.Fatalf("%q was written as %q", e.Raw, out)
				}
			}
			return nil
		}
		whole := true
		valid := func(e Element) error {
			whole = whole && json.Valid(e.Raw)
			return check(e)
		}
		// Elements that are JSON in a store that was read make a document that is JSON.
		if err := ReadStore(bytes.NewReader(text), Visitor{Memory: valid, Relation: valid, IndexEntry: valid}); err == nil && whole {
			if !json.Valid(bytes.TrimPrefix(text, []byte("\ufeff"))) {
				t.Fatalf("%q was read", text)
			}
		}
	})
}
