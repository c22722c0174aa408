package localapp_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/gpt4all"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/jan"
	"github.com/pamline/pamline/providers/lmstudio"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/textgen"
)

// member is a file with a text.
func member(text string) archive.Member {
	return archive.NewMember("m.jsonl", -1, 0, func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil })
}

func TestLinesKeepWhatIsAnObjectAndReportTheRest(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", 200<<10) + `"}`
	for name, c := range map[string]struct {
		text    string
		kept    []string
		offsets []int64 // of the lines that are reported
	}{
		"nothing":               {"", nil, nil},
		"no end of line":        {`{"a":1}`, []string{`{"a":1}`}, nil},
		"carriage returns":      {"{}\r\n{}\r\n", []string{"{}", "{}"}, nil},
		"a mark and empty ones": {"\xef\xbb\xbf{}\n\n \t\n{}", []string{"{}", "{}"}, nil},
		"longer than a buffer":  {long + "\n{}", []string{long, "{}"}, nil},
		"broken ones":           {"{}\n{\n[]\n{}\nnull", []string{"{}", "{}"}, []int64{3, 5, 11}},
	} {
		t.Run(name, func(t *testing.T) {
			var kept []string
			var offsets []int64
			u := importer.Unit{Member: member(c.text), Limits: importer.Limits{}.WithDefaults()}
			more, err := localapp.Lines(t.Context(), u, func(line []byte) { kept = append(kept, string(line)) }, func(bad importer.Unit) bool {
				offsets = append(offsets, bad.Err.Offset)
				return true
			})
			if !more || err != nil || strings.Join(kept, "|") != strings.Join(c.kept, "|") || len(offsets) != len(c.offsets) {
				t.Fatalf("%v %v: %d kept, %v reported", more, err, len(kept), offsets)
			}
			for i := range offsets {
				if offsets[i] != c.offsets[i] {
					t.Errorf("reported at %v, want %v", offsets, c.offsets)
				}
			}
		})
	}
}

func TestLinesStopAtTheLimitAndWhenNobodyWantsMore(t *testing.T) {
	u := importer.Unit{Member: member(strings.Repeat("{}\n", 100)), Limits: importer.Limits{MaxConversation: 200}.WithDefaults()}
	none := func([]byte) {}
	var bad *importer.UnitError
	if _, err := localapp.Lines(t.Context(), u, none, func(importer.Unit) bool { return true }); !errors.As(err, &bad) || bad.Code != "too_big" {
		t.Errorf("a file over the limit: %v", err)
	}
	u.Member = member("{\n{}\n")
	if more, err := localapp.Lines(t.Context(), u, none, func(importer.Unit) bool { return false }); more || err != nil {
		t.Errorf("nobody wants more: %v %v", more, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := localapp.Lines(ctx, u, none, func(importer.Unit) bool { return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("the context has ended: %v", err)
	}
}

// A file that cannot be read is claimed by its own name, and reported.
func TestADamagedFileWithTheProgramsOwnNameIsReported(t *testing.T) {
	broken := errors.New("the disk is broken")
	for name, imp := range map[string]importer.Importer{
		"conversations/1735689600123.conversation.json": lmstudio.New(), "threads/a/thread.json": jan.New(), "threads/a/messages.jsonl": jan.New(),
		"user_data/logs/instruct/20240601-13-01-02.json": textgen.New(), "GPT4All/gpt4all-0a1b.chat": gpt4all.New(),
	} {
		m := archive.NewMember(name, -1, 0, func(context.Context) (io.ReadCloser, error) { return nil, broken })
		c, err := imp.Claim(t.Context(), []archive.Member{m}, func(context.Context, archive.Member) ([]byte, error) { return nil, broken }, importer.Limits{})
		if err != nil || len(c.Members) != 1 {
			t.Errorf("%s: claimed %v, %v", name, c.Members, err)
			continue
		}
		n := 0
		for u, err := range imp.Split(t.Context(), c, importer.Limits{}) {
			if n++; err != nil || u.Err == nil || u.Err.Code != "unreadable_member" || u.Err.Member != name {
				t.Errorf("%s: %+v, %v", name, u.Err, err)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d units, want 1", name, n)
		}
	}
}

func TestFormsOfTimesGiveBackWhatTheyRead(t *testing.T) {
	parse := func(text string) jsonscan.Node {
		d, err := jsonscan.Parse([]byte(text), 0)
		if err != nil {
			t.Fatal(err)
		}
		return d.Root()
	}
	layout := localapp.Layout("January 2, 2006 3:04pm")
	for _, text := range []string{`"June 1, 2024 1:05pm"`, `"December 31, 1999 12:00am"`} {
		v, ok := layout.Read(parse(text))
		if out, wrote := layout.Write(nil, v); !ok || !wrote || string(out) != text {
			t.Errorf("%s became %s and %s", text, v, out)
		}
	}
	for _, text := range []string{"1717247100", "1717247100123"} {
		v, ok := localapp.SecondsOrMillis.Read(parse(text))
		if out, wrote := localapp.SecondsOrMillis.Write(nil, v); !ok || !wrote || string(out) != text {
			t.Errorf("%s became %s and %s", text, v, out)
		}
	}
	for _, text := range []string{`"June 31, 2024 1:05pm"`, `"June 1, 0001 1:05pm"`, `""`, `7`, `null`} {
		if v, ok := layout.Read(parse(text)); ok {
			t.Errorf("%s is read as %s", text, v)
		}
	}
	if got := localapp.Newest(normalize.Instant{Sec: 5}, normalize.Epoch, normalize.Instant{Sec: 9}); got.Sec != 9 {
		t.Errorf("the newest is %v", got)
	}
}
