package cut_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// cutLines gives what Lines makes of a file: "raw" for the unit, "code@offset#line" for each line
// that is quarantined.
func cutLines(t *testing.T, data string, limits importer.Limits) []string {
	t.Helper()
	m := archive.NewMember("log.jsonl", int64(len(data)), 0, func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader([]byte(data))), nil
	})
	var out []string
	cut.Lines(t.Context(), importer.Unit{Member: m, Limits: limits}, func(u importer.Unit, err error) bool {
		switch {
		case err != nil:
			t.Fatal(err)
		case u.Err != nil:
			out = append(out, fmt.Sprintf("%s@%d#%d", u.Err.Code, u.Err.Offset, u.Err.Index))
		default:
			out = append(out, string(u.Raw))
		}
		return true
	})
	return out
}

func TestTheLinesOfALogAreOneUnit(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       []string
	}{
		{"two lines", "{\"a\":1}\n{\"b\": 2}\n", []string{`[{"a":1},{"b": 2}]`}},
		{"no end of line at the end", "{\"a\":1}\n{}", []string{`[{"a":1},{}]`}},
		{"a mark of the byte order, Windows line ends and empty lines", "\xef\xbb\xbf{\"a\":1}\r\n\r\n \t\n{\"b\":2}\r\n", []string{`[{"a":1},{"b":2}]`}},
		{"UTF-16", "\xff\xfe{\x00\"\x00a\x00\"\x00:\x001\x00}\x00\n\x00{\x00}\x00\n\x00", []string{`[{"a":1},{}]`}},
		{"half a last line", "{\"a\":1}\n{\"b\":\"hal", []string{"truncated@8#1", `[{"a":1}]`}},
		{"a bad line in the middle", "{\"a\":1}\n{\"b\":nul}\nnull\n17\n{\"c\":3}\n", []string{"syntax@8#1", "not_an_object@18#2", "not_an_object@23#3", `[{"a":1},{"c":3}]`}},
		{"zeros at the end", "{\"a\":1}\n\x00\x00\x00", []string{"syntax@8#1", `[{"a":1}]`}},
		{"too deep", "{\"a\":[[[1]]]}\n{\"a\":[1]}\n", []string{"too_deep@0#0", `[{"a":[1]}]`}},
		{"nothing", "", nil},
		{"only blanks", "\n \n", nil},
		{"nothing good", "x\n", []string{"syntax@0#0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := cutLines(t, c.data, importer.Limits{MaxDepth: 4}); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestALogOverTheLimitIsQuarantinedWhole(t *testing.T) {
	data := strings.Repeat("{\"a\":1}\n", 100)
	if got, want := cutLines(t, data, importer.Limits{MaxConversation: 200}), []string{"too_big@0#0"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := cutLines(t, "{\"a\":\""+strings.Repeat("x", 1<<20)+"\"}\n", importer.Limits{MaxConversation: 1 << 20}); len(got) != 1 || got[0] != "too_big@0#0" {
		t.Errorf("got %.80q", got)
	}
	if got := cutLines(t, "{\"a\":\""+strings.Repeat("x", 1<<20)+"\"}\n", importer.Limits{}); len(got) != 1 || len(got[0]) != 1<<20+10 {
		t.Errorf("a line of a MiB is not read: %.80q", got)
	}
}

func TestBadLinesAreBoundedInNumber(t *testing.T) {
	got := cutLines(t, strings.Repeat("x\n", 5000)+"{\"a\":1}\n", importer.Limits{})
	if len(got) != 102 || got[99] != "syntax@198#99" || got[100] != "syntax@200#5001" || got[101] != `[{"a":1}]` {
		t.Errorf("%d units, the last of them %q", len(got), got[max(len(got)-3, 0):])
	}
}

func TestLinesAreCounted(t *testing.T) {
	for data, want := range map[string]int{"": 0, "\n \r\n": 0, "a": 1, "a\n\nb\r\n": 2, strings.Repeat("x", 200<<10) + "\ny": 2} {
		m := archive.NewMember("log.jsonl", -1, 0, func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(data)), nil
		})
		if got, err := cut.CountLines(t.Context(), m); got != want || err != nil {
			t.Errorf("%.10q: %d, %v, want %d", data, got, err, want)
		}
	}
}
