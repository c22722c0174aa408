package pamio

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
)

// largeStore is a store with memories from a few bytes up to more than is held beside others.
func largeStore() string {
	var b strings.Builder
	b.WriteString(`{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"me"},"memories":[`)
	for i := range 100 {
		if i > 0 {
			b.WriteByte(',')
		}
		size := 10
		switch {
		case i == 30 || i == 31:
			size = bigItem + i
		case i%20 == 0:
			size = 3 * scanText
		case i%3 == 0:
			size = 5000
		}
		fmt.Fprintf(&b, `{"content":%q,"id":"m-%04d"}`, strings.Repeat("x", size), i)
	}
	b.WriteString(`],"relations":[{"id":"r-1"},{ "id" : "r-2" }]}`)
	return b.String()
}

// guardedReader tells whether it is read after it was closed.
type guardedReader struct {
	io.Reader
	closed, late *atomic.Bool
}

func (g guardedReader) Read(p []byte) (int, error) {
	if g.closed.Load() {
		g.late.Store(true)
	}
	return g.Reader.Read(p)
}

func (g guardedReader) Close() error {
	g.closed.Store(true)
	return nil
}

func TestAScanGivesTheElementsAsReadingThemOneByOneDoes(t *testing.T) {
	text := largeStore()
	var want []string
	keep := func(collection string) func(Element) error {
		return func(e Element) error {
			want = append(want, collection+" "+string(e.Raw))
			return nil
		}
	}
	err := ReadStore(strings.NewReader(text), Visitor{Memory: keep("memories"), Relation: keep("relations")})
	if err != nil || len(want) != 102 {
		t.Fatal(len(want), err)
	}
	s := Source{Name: "s", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
	n := 0
	_, err = scanStore(s, Limits{}, func(collection string, it item) error {
		if got := collection + " " + string(it.raw); n >= len(want) || got != want[n] {
			t.Fatalf("element %d is %.60q", n, got)
		}
		if key := fmt.Sprintf("m-%04d", n); collection == "memories" && string(it.key) != key {
			t.Fatalf("the key of element %d is %q", n, it.key)
		}
		n++
		return nil
	})
	if err != nil || n != len(want) {
		t.Errorf("%d elements, %v", n, err)
	}
}

func TestAScanThatEndsEarlyReadsNothingAfterwards(t *testing.T) {
	text := largeStore()
	wrong := errors.New("wrong")
	for _, end := range []int{0, 1, 30, 31, 80, 101} {
		var closed, late atomic.Bool
		s := Source{Name: "s", Open: func() (io.ReadCloser, error) { return guardedReader{strings.NewReader(text), &closed, &late}, nil }}
		n := 0
		_, err := scanStore(s, Limits{}, func(string, item) error {
			if n == end {
				return wrong
			}
			n++
			return nil
		})
		if !errors.Is(err, wrong) || n != end || late.Load() {
			t.Errorf("end at %d: %d elements, %v, read after it was closed: %v", end, n, err, late.Load())
		}
	}
}

func TestTheElementsBeforeAFaultAreGiven(t *testing.T) {
	text := largeStore()
	for name, c := range map[string]struct {
		text, message string
		elements      int
	}{
		"the text breaks off":  {text[:len(text)-20], "ends too early", 100},
		"no id":                {strings.Replace(text, `"id":"m-0050"`, `"it":"m-0050"`, 1), "/memories/50: the element has no id", 50},
		"an element too large": {text, "/memories/30 at byte", 30},
	} {
		limits := Limits{}
		if strings.Contains(name, "large") {
			limits.MaxElement = bigItem
		}
		n := 0
		s := Source{Name: "s", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(c.text)), nil }}
		_, err := scanStore(s, limits, func(string, item) error {
			n++
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), c.message) || n != c.elements {
			t.Errorf("%s: %d elements, %v", name, n, err)
		}
	}
}
