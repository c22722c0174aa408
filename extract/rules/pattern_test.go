package rules

import (
	"strings"
	"testing"
)

func TestPatternsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"":              "empty",
		"i live in {x":  "not closed",
		"i live in x}":  "without {",
		"(a|b":          "not closed",
		"(a]":           "closed by",
		"a (|b)":        "empty choice",
		"@ a":           "without the name",
		"{} a":          "no name",
		"{x:3-1}":       "range",
		"{x:much}":      "range",
		"... a":         "not the last",
		"a)":            "unexpected",
		"((((((a))))))": "deeper",
	} {
		if items, err := parsePattern(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want an error with %q", text, items, err, want)
		}
	}
}

func FuzzParsePattern(f *testing.F) {
	for _, s := range []string{"i [@adv] (live|reside) in {x}", "my {k:@kin} (is|'s) {x:1-3}", "{x:name} , {n:number} ...", "a [...]", "((("} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		items, err := parsePattern(text)
		if err == nil && len(items) == 0 {
			t.Error("no items and no error")
		}
		if err == nil {
			sure(items)
		}
	})
}
