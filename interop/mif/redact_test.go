package mif_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pamline/pamline/interop/mif"
)

var labeled = regexp.MustCompile(`\{(\w+)\|([^}]*)\}`)

// TestRedactionIsMeasured measures precision and recall on labeled texts. Names, addresses and
// dates of birth are labeled, too: they are found where a cue says what they are. go test -v shows
// the table.
func TestRedactionIsMeasured(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files             []string
		precision, recall float64
	}{
		"texts that the patterns were written for": {[]string{"redaction.txt", "redaction_languages.txt"}, 0.99, 0.99},
		"other texts": {[]string{"redaction_unseen.txt"}, 0.95, 0.8},
	} {
		t.Run(name, func(t *testing.T) {
			var text []byte
			for _, file := range c.files {
				more, err := os.ReadFile(filepath.Join("testdata", file))
				if err != nil {
					t.Fatal(err)
				}
				text = append(text, more...)
			}
			if precision, recall := measureRedaction(t, text); precision < c.precision || recall < c.recall {
				t.Errorf("precision %.3f, recall %.3f", precision, recall)
			}
		})
	}
}

func measureRedaction(t *testing.T, text []byte) (precision, recall float64) {
	t.Helper()
	right, wrong, missed := map[string]int{}, map[string]int{}, map[string]int{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		plain := labeled.ReplaceAllString(line, "$2")
		want := map[string]int{}
		for _, m := range labeled.FindAllStringSubmatch(line, -1) {
			want[m[1]]++
		}
		expected := labeled.ReplaceAllStringFunc(line, func(s string) string { return "[" + labeled.FindStringSubmatch(s)[1] + "]" })
		got, spans := mif.Redact(plain)
		if got == expected && len(spans) == len(labeled.FindAllString(line, -1)) {
			for k, n := range want {
				right[k] += n
			}
		} else {
			for _, s := range spans {
				if want[s.Type] > 0 {
					want[s.Type]--
					right[s.Type]++
					continue
				}
				wrong[s.Type]++
				t.Logf("wrong: %s in %q", s.Type, plain)
			}
			for k, n := range want {
				if missed[k] += n; n > 0 {
					t.Logf("missed: %s in %q", k, plain)
				}
			}
		}
		for _, s := range spans {
			if runes := []rune(got); string(runes[s.Start:s.End]) != "["+s.Type+"]" {
				t.Errorf("span %+v is not at its place in %q", s, got)
			}
		}
		if again, more := mif.Redact(got); again != got || len(more) > 0 {
			t.Errorf("%q is redacted twice", got)
		}
	}
	sum := func(m map[string]int) (n int) {
		for k, v := range m {
			t.Logf("%-12s right %d wrong %d missed %d", k, right[k], wrong[k], missed[k])
			n += v
		}
		return n
	}
	tp, fp, fn := sum(right), sum(wrong), sum(missed)
	precision, recall = float64(tp)/float64(tp+fp), float64(tp)/float64(tp+fn)
	t.Logf("precision %.3f, recall %.3f (%d right, %d wrong, %d missed)", precision, recall, tp, fp, fn)
	return precision, recall
}

func FuzzRedact(f *testing.F) {
	f.Add("call +1 (415) 555-0132 or ana@example.org")
	f.Fuzz(func(t *testing.T, text string) {
		got, spans := mif.Redact(text)
		runes := []rune(got)
		for _, s := range spans {
			if s.Start < 0 || s.End > len(runes) || string(runes[s.Start:s.End]) != "["+s.Type+"]" {
				t.Fatalf("%+v in %q", s, got)
			}
		}
	})
}
