package segment

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pamline/pamline/extract"
	"github.com/rogpeppe/go-internal/txtar"
)

// Message cuts a message. The segments cover the text without gaps, in order; neighbours differ in
// kind. opaque are byte ranges that are no prose: parts of the message that are code or files.
func Message(text string, opaque []extract.Span) []Segment {
	if text == "" {
		return nil
	}
	d := begin(text, opaque)
	return d.finish()
}

// marked reads a case: lines "kind| text", with ⟦kind|text⟧ inside. It gives the text and the kind
// of each byte.
func marked(data string) (text string, kinds []string, err error) {
	var b strings.Builder
	write := func(s, kind string) {
		b.WriteString(s)
		for range len(s) {
			kinds = append(kinds, kind)
		}
	}
	for i, l := range strings.Split(strings.TrimSuffix(data, "\n"), "\n") {
		kind, rest, ok := strings.Cut(l, "|")
		if !ok {
			return "", nil, fmt.Errorf("line %d has no kind", i+1)
		}
		if i > 0 {
			write("\n", "")
		}
		rest = strings.TrimPrefix(rest, " ")
		for {
			before, inner, found := strings.Cut(rest, "⟦")
			write(before, kind)
			if !found {
				break
			}
			inner, rest, _ = strings.Cut(inner, "⟧")
			name, words, _ := strings.Cut(inner, "|")
			write(words, name)
		}
	}
	return b.String(), kinds, nil
}

// show writes segments the way cases are written, so that a difference can be read.
func show(text string, segments []Segment) string {
	var b strings.Builder
	for _, s := range segments {
		fmt.Fprintf(&b, "%-9s %q\n", s.Kind, text[s.Start:s.End])
	}
	return b.String()
}

func TestMessagesAreCutByKind(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 6 {
		t.Fatalf("found %d files: %v", len(files), err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(data).Files {
			t.Run(filepath.Base(name)+"/"+f.Name, func(t *testing.T) {
				text, kinds, err := marked(string(f.Data))
				if err != nil {
					t.Fatal(err)
				}
				segments := Message(text, nil)
				for _, s := range segments {
					for at, r := range text[s.Start:s.End] {
						if want := kinds[s.Start+at]; want != "" && !unicode.IsSpace(r) && want != s.Kind.String() {
							t.Fatalf("byte %d is %s, want %s:\n%s", s.Start+at, s.Kind, want, show(text, segments))
						}
					}
				}
			})
		}
	}
}

func TestPartsThatAreNoProseStayOut(t *testing.T) {
	text := "I live in Rome\nx := 1\nand I like it"
	start := strings.Index(text, "x :=")
	got := Message(text, []extract.Span{{Start: start, End: start + 6}, {Start: -4, End: 0}, {Start: 90, End: 99}})
	if len(got) != 3 || got[1] != (Segment{Code, start, start + 7}) /* the line feed belongs to what it ends */ || got[0].Kind != Prose || got[2].Kind != Prose {
		t.Errorf("got\n%s", show(text, got))
	}
}

// check tells what is wrong with segments or sentences, "" when nothing is.
func check(text string, opaque []extract.Span) string {
	at := 0
	segments := Message(text, opaque)
	for i, s := range segments {
		if s.Start != at || s.End <= s.Start {
			return fmt.Sprintf("segment %d is [%d, %d) after %d", i, s.Start, s.End, at)
		}
		if i > 0 && segments[i-1].Kind == s.Kind {
			return fmt.Sprintf("segments %d and %d are both %s", i-1, i, s.Kind)
		}
		at = s.End
		last := s.Start
		for r := range Sentences(text, s.Start, s.End) {
			if r.Start < last || r.End <= r.Start || r.End > s.End {
				return fmt.Sprintf("sentence [%d, %d) after %d in segment [%d, %d)", r.Start, r.End, last, s.Start, s.End)
			}
			if !boundaryOfRunes(text, r.Start) || !boundaryOfRunes(text, r.End) {
				return fmt.Sprintf("sentence [%d, %d) cuts a character", r.Start, r.End)
			}
			last = r.End
		}
		if opaque == nil && !boundaryOfRunes(text, s.Start) {
			return fmt.Sprintf("segment %d begins inside a character at %d", i, s.Start)
		}
	}
	if at != len(text) {
		return fmt.Sprintf("segments end at %d of %d", at, len(text))
	}
	return ""
}

// boundaryOfRunes tells whether a place lies between characters; a byte that belongs to none is one
// of its own.
func boundaryOfRunes(text string, at int) bool {
	if at == 0 || at >= len(text) || utf8.RuneStart(text[at]) {
		return true
	}
	for back := 1; back < utf8.UTFMax && back <= at; back++ {
		if r, n := utf8.DecodeRuneInString(text[at-back:]); r != utf8.RuneError || n > 1 {
			return n <= back
		}
	}
	return true
}

func FuzzSegmentsCoverTheText(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range txtar.Parse(data).Files {
			text, _, err := marked(string(c.Data))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text, uint16(0), uint16(0))
		}
	}
	f.Add("\xff\xfe“\xe2\x80 *a b\xe2* \"\"\" « \n>\xc2 ```", uint16(3), uint16(9))
	f.Add("<system-reminder>\n<memory> I </memory> <tool_result x=\"", uint16(0), uint16(5))
	f.Fuzz(func(t *testing.T, text string, from, length uint16) {
		if wrong := check(text, nil); wrong != "" {
			t.Error(wrong)
		}
		if wrong := check(text, []extract.Span{{Start: int(from), End: int(from) + int(length)}}); wrong != "" && utf8.ValidString(text) && length == 0 {
			t.Error(wrong)
		}
		Language(text)
		var frame Frame
		frame.See("user", text)
	})
}

// Texts that would take hours if any step went over them again for each of their lines or marks.
func TestHostileTextsAreReadOnce(t *testing.T) {
	const n = 8000
	for name, piece := range map[string]string{
		"quote marks": "„", "straight quotes": ` "a`, "stars": "*a ", "tags": "<memory>", "open tags": "<", "stops": ".", "stops and closers": `."`, "lines": "\n",
		"orders": "rewrite this\n", "orders in a line": "rewrite this ", "greetings": "dear x,\n", "closings": "regards\n", "colons": "fix this:", "speakers": "Bob: I\n",
		"fences": "```\n", "paragraphs": "The bridge is closed.\n\n", "headers": "to: a\n", "quotes in lines": "\"a\n", "apostrophes": "'''", "bullets": "- ", "digits": "1.", "ellipses": "…", "i": "i ",
		"openings": "I am writing to you. ", "closed tags": "<memory></memory>", "crlf": "\r\n", "ideographs": "漢。",
	} {
		t.Run(name, func(t *testing.T) {
			if wrong := check(strings.Repeat(piece, n), nil); wrong != "" {
				t.Error(wrong)
			}
		})
	}
}
