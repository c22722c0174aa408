package jsonscan

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// TestEveryByteIsSeenAtEveryPlace puts each byte at each offset of the words that strings are
// looked at in.
func TestEveryByteIsSeenAtEveryPlace(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	for before := range 20 {
		for after := range 20 {
			for c := range 256 {
				src := []byte(`"` + strings.Repeat("a", before) + string([]byte{byte(c)}) + strings.Repeat("a", after) + `"`)
				var want string // where the string is broken
				switch {
				case c < 0x20:
					want = fmt.Sprintf("invalid JSON at byte %d: control character in a string", before+1)
				case c == '"':
					want = fmt.Sprintf("invalid JSON at byte %d: text after the value", before+2)
				case c == '\\' && after > 0:
					want = fmt.Sprintf("invalid JSON at byte %d: malformed escape", before+1)
				case c == '\\':
					want = fmt.Sprintf("invalid JSON at byte %d: unterminated string", len(src))
				}
				d, err := Parse(src, 0)
				if got := fmt.Sprint(err); err != nil && got != want || err == nil && want != "" {
					t.Fatalf("Parse(%q) = %v, want %q", src, err, want)
				}
				if err == nil && (d.Root().Flags()&BadUTF8 != 0) != (c >= 0x80) {
					t.Fatalf("flags of %q are %b", src, d.Root().Flags())
				}
			}
		}
	}
}

// TestUTF8IsWhatTheStandardLibrarySays tries all that three bytes can be and the borders of four,
// alone and behind enough ASCII for another path of the validator.
func TestUTF8IsWhatTheStandardLibrarySays(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	borders := []byte{0x00 + ' ', 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF}
	var d Doc
	for _, before := range []int{0, 5, 33, 70} {
		for _, a := range borders {
			for _, b := range borders {
				for _, c := range borders {
					for _, e := range borders {
						text := append([]byte(`"`+strings.Repeat("x", before)), a, b, c, e, '"')
						if err := d.Parse(text, 0); err != nil {
							t.Fatalf("%q: %v", text, err)
						}
						if bad := d.Root().Flags()&BadUTF8 != 0; bad == utf8.Valid(text) {
							t.Fatalf("BadUTF8 of %q is %v", text, bad)
						}
					}
				}
			}
		}
	}
}

func TestTextsStayAsTheyAre(t *testing.T) {
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for n := range 200 {
				want := strings.Repeat(fmt.Sprintf("\n%d", g), n)
				d, err := Parse([]byte(`["`+strings.ReplaceAll(want, "\n", `\n`)+`","`+strings.Repeat(`\t`, 3*n)+`"]`), 0)
				if err != nil {
					t.Error(err)
					return
				}
				var texts []string
				for v := range d.Root().Items() {
					texts = append(texts, v.Str())
				}
				if texts[0] != want || texts[1] != strings.Repeat("\t", 3*n) {
					t.Errorf("read %q", texts)
				}
			}
		})
	}
	wait.Wait()
}
