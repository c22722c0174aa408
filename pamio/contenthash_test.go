package pamio

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// shared is a file of the reference material beside the repository; the test is skipped without it.
func shared(t *testing.T, name ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		file := filepath.Join(append([]string{dir, "shared"}, name...)...)
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	t.Skipf("the reference material %s is not beside the repository", filepath.Join(name...))
	return ""
}

type hashVector struct {
	Note       string `json:"note"`
	Input      string `json:"input"`
	Normalized string `json:"normalized"`
	Hash       string `json:"hash"`
}

func readVectors(t *testing.T, name string) (all []hashVector) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestContentHashFollowsThePublishedVectors(t *testing.T) {
	checkHashes(t, readVectors(t, filepath.Join("testdata", "vectors", "content_hash.json")), 50)
}

func TestContentHashFollowsTheReferenceVectors(t *testing.T) {
	checkHashes(t, readVectors(t, shared(t, "vectors", "content_hash.json")), 128)
}

func checkHashes(t *testing.T, vectors []hashVector, least int) {
	t.Helper()
	if len(vectors) < least {
		t.Errorf("%d vectors, want at least %d", len(vectors), least)
	}
	for _, v := range vectors {
		if got := NormalizeContent(v.Input); got != v.Normalized {
			t.Errorf("%s: NormalizeContent(%+q) = %+q, want %+q", v.Note, v.Input, got, v.Normalized)
		}
		if got := ContentHash(v.Input); got != v.Hash {
			t.Errorf("%s: ContentHash(%+q) = %s, want %s", v.Note, v.Input, got, v.Hash)
		}
		if !HasContentHash(v.Input, v.Hash) || HasContentHash(v.Input+"x", v.Hash) || HasContentHash(v.Input, v.Hash[:70]+"?") {
			t.Errorf("%s: HasContentHash(%+q) takes another hash or not its own", v.Note, v.Input)
		}
	}
}

func TestLongMarksComposeAsShortOnes(t *testing.T) {
	// Below the library's limit the two ways must agree on everything.
	for _, v := range readVectors(t, filepath.Join("testdata", "vectors", "content_hash.json")) {
		s := v.Input
		if got, want := composeLong(s), norm.NFC.String(s); got != want && !strings.Contains(want, joiner) {
			t.Errorf("composeLong(%+q) = %+q, want %+q", s, got, want)
		}
	}
}

func TestASCIIIsNormalizedAsOtherTextIs(t *testing.T) {
	for a := range utf8.RuneSelf {
		for _, text := range []string{"%c", "x%c", "%cx", "x%cY", "x %c Y", " %c\t"} {
			s := fmt.Sprintf(text, a)
			// A letter beyond ASCII takes the other way; it is the last word.
			want := strings.TrimSuffix(strings.TrimSuffix(NormalizeContent(s+" é"), "é"), " ")
			if got := NormalizeContent(s); got != want {
				t.Errorf("NormalizeContent(%q) = %q, want %q", s, got, want)
			}
		}
	}
}

func FuzzNormalizeContent(f *testing.F) {
	for _, s := range []string{"", " A  b ", "ΟΔΥΣΣΕΥΣ", "İ", "e\u0301\u0323", strings.Repeat("\u0301", 40), "\u1112\u1161\u11ab", "\u0958\u09c7\u09be", "a\xffb", "\u0344\u0345"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		got := NormalizeContent(s)
		if !utf8.ValidString(got) {
			t.Fatalf("NormalizeContent(%+q) = %+q is not UTF-8", s, got)
		}
		if again := NormalizeContent(got); again != got {
			t.Fatalf("NormalizeContent(%+q) = %+q, and of that %+q", s, got, again)
		}
		if strings.Contains(got, "\u034f") != strings.Contains(s, "\u034f") {
			t.Fatalf("NormalizeContent(%+q) = %+q: a grapheme joiner came or went", s, got)
		}
		if short := norm.NFC.String(s); strings.Count(short, joiner) == strings.Count(s, joiner) {
			if long := composeLong(s); long != short {
				t.Fatalf("composeLong(%+q) = %+q, want %+q", s, long, short)
			}
		}
	})
}

func BenchmarkContentHash(b *testing.B) {
	for name, s := range map[string]string{
		"ascii":   strings.Repeat("Prefers Green Tea in the morning. ", 6),
		"accents": strings.Repeat("Préfère le thé vert le matin, à Évry. ", 6),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				ContentHash(s)
			}
		})
	}
}
