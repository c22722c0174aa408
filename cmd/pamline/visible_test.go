package main

import (
	"bytes"
	"testing"
)

func TestWhatATerminalWouldObeyIsShownAsText(t *testing.T) {
	for in, want := range map[string]string{
		"plain — ünï 你好 👍":       "plain — ünï 你好 👍",
		"a\x1b[2Jb":              `a\u001b[2Jb`,
		"a\r\nb\tc":              `a\u000d\u000ab\u0009c`,
		"photo\u202egpj.exe":     `photo\u202egpj.exe`,
		"\x9b31m":                "\ufffd31m",
		"\u009b31m\u0000\u2028.": `\u009b31m\u0000\u2028.`,
	} {
		if got := visible(in, ""); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := visible("one\ntwo\a", "\n"); got != "one\ntwo\\u0007" {
		t.Errorf("%q", got)
	}
}

func TestReportsHaveALineForEachFact(t *testing.T) {
	var out bytes.Buffer
	p := &printer{w: &out}
	p.field("left out", "%s: %s", "chat\x1b]0;owned\a.json", "first\nsecond")
	if want := "  left out     chat\\u001b]0;owned\\u0007.json: first\\u000asecond\n"; p.err != nil || out.String() != want {
		t.Errorf("%q, %v", out.String(), p.err)
	}
}
