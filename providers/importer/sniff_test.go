package importer

import (
	"strings"
	"testing"
)

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		in      string
		top     byte
		empty   bool
		objects int
		others  int
		wrapper string
	}{
		{"", 0, true, 0, 0, ""},
		{" \n", 0, true, 0, 0, ""},
		{"[]", '[', true, 0, 0, ""},
		{"\xEF\xBB\xBF { }", '{', true, 0, 0, ""},
		{"<html>", '<', false, 0, 0, ""},
		{"PK\x03\x04", 0, false, 0, 0, ""},
		{`[null,1,"x",{"a":1},{"b":`, '[', false, 2, 3, ""},
		{`[{"a":"]}\"","b":{}},[]]`, '[', false, 1, 1, ""},
		{`{"a":1}`, '{', false, 0, 0, ""},
		{`{"a":1}` + "\n" + `{"b":2}`, '{', false, 2, 0, ""},
		{`{"x":1,"conversations":[{"a":1},{"b":2}],"y":2}`, '{', false, 2, 0, "conversations"},
		{`{"conversations":{"a":1}}`, '{', false, 0, 0, ""},
		{`[` + strings.Repeat(`{"a":1},`, 500), '[', false, MaxSniffed, 0, ""},
		{"[" + strings.Repeat("}", 500), '[', false, 0, MaxSniffed, ""},
	} {
		s := Sniff([]byte(c.in))
		if s.Top != c.top || s.Empty != c.empty || len(s.Objects) != c.objects || s.Others != c.others || s.Wrapper != c.wrapper {
			t.Errorf("%.60q: %+v", c.in, s)
		}
	}
	if k := Sniff([]byte(`[{"mapping":{"x":[1]},"id":"s","n":-1`)).Objects[0]; k["mapping"] != '{' || k["id"] != '"' || k["n"] != '0' {
		t.Errorf("kinds of values: %v", k)
	}
}

func FuzzSniff(f *testing.F) {
	for _, s := range []string{"", "[", `{"a":"\`, `[{"a":{"b":[]}},null]`, `{"conversations":[`, "[}", "{\"a\":}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if s := Sniff(b); len(s.Objects)+s.Others > 2*MaxSniffed+2 {
			t.Fatalf("%d objects", len(s.Objects))
		}
	})
}
