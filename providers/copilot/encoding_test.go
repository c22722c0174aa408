package copilot_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pamline/pamline/providers/importertest"
)

func wide(text string, little, mark bool) string {
	var out []byte
	if mark {
		text = "\ufeff" + text
	}
	for _, u := range utf16.Encode([]rune(text)) {
		if little {
			out = append(out, byte(u), byte(u>>8))
		} else {
			out = append(out, byte(u>>8), byte(u))
		}
	}
	return string(out)
}

func TestOtherEncodings(t *testing.T) {
	plain := strings.TrimPrefix(history, "\ufeff")
	documents := func(r *importertest.Result) string {
		var out []byte
		for _, s := range r.Conversations() {
			out = append(s.Doc.AppendJSON(out), '\n')
		}
		return string(out)
	}
	whole := documents(read(t, history))
	for name, table := range map[string]string{
		"no mark": plain, "UTF-16 little": wide(plain, true, true), "UTF-16 big": wide(plain, false, true), "UTF-16 little, no mark": wide(plain, true, false), "UTF-16 big, no mark": wide(plain, false, false),
	} {
		if got := documents(read(t, table)); got != whole {
			t.Errorf("%s: other documents\n%s\n%s", name, got, whole)
		}
	}
	r := read(t, crlf("Conversation,Time,Author,Message", "Caf\xe9,2026-02-17T14:36:12,AI,\x93na\xefve\x94 \x80 5", "Caf\xe9,2026-02-17T14:36:11,Human,plain", "Mixed é,2026-02-17T14:36:11,Human,a \xff b"))
	want(t, r.Conversations()[0], "Café", "user 2026-02-17T14:36:11Z plain", "assistant 2026-02-17T14:36:12Z “naïve” € 5")
	want(t, r.Conversations()[1], "Mixed é", "user 2026-02-17T14:36:11Z a \ufffd b")
	raw := string(r.Conversations()[0].Doc.Messages[1].RawMetadata)
	if !strings.Contains(raw, `"encoding":"windows-1252","bytes":"Q2Fm6SwyMDI2LTAyLTE3VDE0OjM2OjEyLEFJLJNuYe92ZZQggCA1"`) {
		t.Errorf("the bytes are not kept: %s", raw)
	}
	if len(r.Quarantined()) != 0 {
		t.Errorf("quarantined: %v", r.Quarantined()[0])
	}
}
