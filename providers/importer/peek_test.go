package importer_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// counted is a member and how often it was opened.
type counted struct {
	archive.Member
	opened int
}

func newCounted(index int, data []byte, err error) *counted {
	c := &counted{}
	c.Member = archive.NewMember("x", int64(len(data)), index, func(context.Context) (io.ReadCloser, error) {
		c.opened++
		if err != nil {
			return nil, err
		}
		return io.NopCloser(bytes.NewReader(data)), nil
	})
	return c
}

func TestAMemberIsReadOnceForAllWhoAsk(t *testing.T) {
	p := importer.NewPeeks()
	m := newCounted(3, []byte(`{"a":{"b":1}}`), nil)
	for range 3 {
		s, err := p.Shape(t.Context(), m.Member)
		if err != nil || !s.Has("a.b") {
			t.Fatalf("%+v, %v", s, err)
		}
		prefix, err := p.Prefix(t.Context(), m.Member)
		if err != nil || string(prefix) != `{"a":{"b":1}}` {
			t.Fatalf("%q, %v", prefix, err)
		}
	}
	if m.opened != 1 {
		t.Errorf("opened %d times", m.opened)
	}
}

// What is beyond the bounds is read again, and is the same.
func TestWhatIsNotKeptIsReadAgain(t *testing.T) {
	p := importer.NewPeeks()
	data := bytes.Repeat([]byte("word "), importer.PeekSize/5)
	var last *counted
	for i := range 300 { // more than 16 MiB
		last = newCounted(i, data, nil)
		for range 2 {
			prefix, err := p.Prefix(t.Context(), last.Member)
			if err != nil || !bytes.Equal(prefix, data) {
				t.Fatalf("member %d: %d bytes, %v", i, len(prefix), err)
			}
		}
	}
	if last.opened != 2 {
		t.Errorf("opened %d times", last.opened)
	}
	for range 2 { // that it is text costs nothing to remember
		if s, err := p.Shape(t.Context(), last.Member); err != nil || s.Top != 0 || s.Empty {
			t.Fatalf("%+v, %v", s, err)
		}
	}
	if last.opened != 3 {
		t.Errorf("opened %d times", last.opened)
	}
}

func TestOfPicturesOnlyTheHeadIsRead(t *testing.T) {
	tail := strings.Repeat("x", 100<<10)
	for name, c := range map[string]struct {
		head string
		want int
	}{
		"JPEG": {"\xff\xd8\xff\xe0\x00\x10JFIF\x00", 512},
		"PNG":  {"\x89PNG\r\n\x1a\n", 512},
		"text": {"He said: ", importer.PeekSize},
		"zip":  {"PK\x03\x04", importer.PeekSize},
		"JSON": {`{"a":"`, importer.PeekSize},
		"SVG":  {`<svg xmlns="http://www.w3.org/2000/svg">`, importer.PeekSize},
	} {
		m := newCounted(0, []byte(c.head+tail), nil)
		got, err := importer.NewPeeks().Prefix(t.Context(), m.Member)
		if err != nil || len(got) != c.want || string(got) != (c.head + tail)[:c.want] {
			t.Errorf("%s: %d bytes, %v, want %d", name, len(got), err, c.want)
		}
	}
}

func TestPrefixesOfAnySizeAreWhole(t *testing.T) {
	for _, n := range []int{0, 1, 511, 512, 513, 1000, importer.PeekSize - 1, importer.PeekSize, importer.PeekSize + 1} {
		for _, size := range []int64{-1, int64(n), 3} { // what an archive says of a size may be wrong
			data := bytes.Repeat([]byte("a"), n)
			m := archive.NewMember("x", size, 0, func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil })
			got, err := importer.NewPeeks().Prefix(t.Context(), m)
			if want := min(n, importer.PeekSize); err != nil || size != 3 && len(got) != want {
				t.Errorf("%d bytes of %d (said to be %d), %v", len(got), n, size, err)
			}
		}
	}
}

func TestAMemberThatCannotBeReadIsEmptyWithTheReason(t *testing.T) {
	broken := errors.New("the disk is broken")
	p := importer.NewPeeks()
	m := newCounted(0, nil, broken)
	for range 2 {
		if s, err := p.Shape(t.Context(), m.Member); !errors.Is(err, broken) || !s.Empty {
			t.Errorf("%+v, %v", s, err)
		}
	}
	if m.opened != 1 {
		t.Errorf("opened %d times", m.opened)
	}
}

func TestAMemberThatBreaksOffBehindWhiteSpaceIsNotEmpty(t *testing.T) {
	broken := errors.New("it grows too much")
	blank := bytes.Repeat([]byte{' '}, 2*importer.PeekSize)
	m := archive.NewMember("x", -1, 0, func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(bytes.NewReader(blank), iotest.ErrReader(broken))), nil
	})
	if _, err := importer.NewPeeks().Shape(t.Context(), m); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	if s, err := importer.NewPeeks().Shape(t.Context(), newCounted(0, blank, nil).Member); err != nil || !s.Empty {
		t.Errorf("white space alone: %+v, %v", s, err)
	}
}
