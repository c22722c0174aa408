package importer

import (
	"strings"
	"testing"
)

func TestTypesComeFromTheFirstBytes(t *testing.T) {
	long := strings.Repeat("{\"a\": 1, \"b\": \"x\"},\n", 500)
	for text, want := range map[string]string{
		"[" + long + "{}]":                  ".json",
		"{\"list\": [" + long + "{}]}":      ".json",
		"[\n" + long[:100]:                  ".json",
		`{"a":1}`:                           ".json",
		strings.Repeat("a,b\n1,2\n", 1000):  ".csv",
		"[1] a note, and {braces} in it\n":  ".txt",
		"{braces} only\n":                   ".txt",
		"plain":                             ".txt",
		"<!doctype html><html></html>":      ".html",
		"\x89PNG\r\n\x1a\n":                 ".png",
		"\x00\x01\x02":                      ".bin",
		"":                                  ".txt",
		strings.Repeat("{\"a\":1}\n", 1000): ".ndjson",
	} {
		if _, ext := SniffType([]byte(text)); ext != want {
			t.Errorf("%.30q is %s, want %s", text, ext, want)
		}
	}
}
