package importer_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

func TestTheShapeGoesOnBehindALongText(t *testing.T) {
	for name, text := range map[string]string{
		"plain":                      strings.Repeat("long long long ", 1<<15),
		"quotes":                     strings.Repeat(`\"`, 1<<17),
		"backslashes":                strings.Repeat(`\\`, 1<<15),
		"a quote behind an odd byte": "x" + strings.Repeat(`\"`, 1<<17),
		"escaped characters":         strings.Repeat(`\u201c`, 1<<15),
	} {
		for form, c := range map[string]struct{ data, path string }{
			"a value":     {`{"first":"` + text + `","mapping":{"a":[1]}}`, "mapping.a["},
			"a list":      {`[{"first":"` + text + `"},{"mapping":{}}]`, "[].mapping{"},
			"lines":       {`{"first":"` + text + `"}` + "\n" + `{"mapping":{}}`, "[].mapping{"},
			"many":        {`{"first":["` + text + `","` + text + `"],"mapping":{}}`, "mapping{"},
			"white space": {strings.Repeat(" \n", 1<<15) + `{"first":"` + text + `",` + strings.Repeat("\t", 1<<16) + `"mapping":{}}`, "mapping{"},
		} {
			m := newCounted(0, []byte(c.data), nil)
			p := importer.NewPeeks()
			s, err := p.Shape(t.Context(), m.Member)
			if err != nil || !s.Has(c.path) {
				t.Errorf("%s, %s: %+v, %v", name, form, s, err)
			}
			prefix, err := p.Prefix(t.Context(), m.Member)
			if err != nil || string(prefix) != c.data[:importer.PeekSize] || m.opened != 1 {
				t.Errorf("%s, %s: a prefix of %d bytes, opened %d times, %v", name, form, len(prefix), m.opened, err)
			}
		}
	}
}

func TestTheShapeGoesOnBehindALongTextInUTF16(t *testing.T) {
	data := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(`{"first":"` + strings.Repeat("long long long ", 1<<15) + `","mapping":{}}`)) {
		data = append(data, byte(u), byte(u>>8))
	}
	if s, err := importer.NewPeeks().Shape(t.Context(), newCounted(0, data, nil).Member); err != nil || !s.Has("mapping{") {
		t.Errorf("%+v, %v", s, err)
	}
}

// A member that breaks off behind its first bytes is known by them: what is wrong is said when it
// is read.
func TestAMemberThatBreaksOffBehindItsStartHasAShape(t *testing.T) {
	data := `{"mapping":{},"text":"` + strings.Repeat("x", 2*importer.PeekSize)
	m := archive.NewMember("x", -1, 0, func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader(data), failing{})), nil
	})
	if s, err := importer.NewPeeks().Shape(t.Context(), m); err != nil || !s.Has("mapping{") {
		t.Errorf("%+v, %v", s, err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the member is damaged") }

// A name of many bytes with thousands of others below it would else be held thousands of times.
func TestLongNamesAreHeldOnce(t *testing.T) {
	below := bytes.Repeat([]byte(`"abc":{"d":1},`), 2000)
	data := append(append([]byte(`{"mapping":{},"`+strings.Repeat("k", 30<<10)+`":{`), below...), "}}"...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := importer.Sniff(data)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 || !s.Has("mapping{") {
		t.Errorf("%d bytes for a prefix of %d", got, len(data))
	}
}
