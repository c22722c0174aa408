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
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/jan"
	"github.com/pamline/pamline/providers/lmstudio"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/textgen"
)

func TestLinesLeaveRoomForWhatIsPutAroundThem(t *testing.T) {
	u := importer.Unit{Limits: importer.Limits{MaxDepth: 6}.WithDefaults()}
	u.Member = archive.NewMember("m.jsonl", -1, 0, func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(`{"a":1}` + "\n" + `{"a":[[[[1]]]]}` + "\n" + `{"b":[[[1]]]}`)), nil
	})
	var codes []string
	raw, more := localapp.Lines(t.Context(), u, 1, func(bad importer.Unit, err error) bool {
		codes = append(codes, bad.Err.Code)
		return err == nil
	})
	if !more || string(raw) != `[{"a":1},{"b":[[[1]]]}]` || len(codes) != 1 || codes[0] != "too_deep" {
		t.Errorf("%v: %s, reported %v", more, raw, codes)
	}
	if _, err := jsonscan.Parse([]byte(`{"x":`+string(raw)+"}"), 6); err != nil {
		t.Errorf("what is left is too deep: %v", err)
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
		c, err := imp.Claim(t.Context(), []archive.Member{m}, importertest.Peek, importer.Limits{})
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
