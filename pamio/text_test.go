package pamio

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEveryByteIsEscapedAtEveryPlace(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	for before := range 20 {
		for after := range 20 {
			for c := range 256 {
				s := strings.Repeat("a", before) + string([]byte{byte(c)}) + strings.Repeat("a", after) + `"`
				out := AppendString([]byte("x"), s)
				var back string
				if err := json.Unmarshal(out[1:], &back); err != nil || back != strings.ToValidUTF8(s, "\uFFFD") {
					t.Fatalf("AppendString(%q) = %s, %v", s, out, err)
				}
				if escaped := len(out) > len(s)+4; escaped != (c < 0x20 || c == '"' || c == '\\' || c >= 0x80) {
					t.Fatalf("AppendString(%q) = %s", s, out)
				}
			}
		}
	}
}

func TestUTF8IsWhatTheStandardLibrarySays(t *testing.T) {
	pieces := []string{"a", "é", "日", "😀", "\xff", "\xc3", "\x80", "\xed\xa0\x80", "\xf4\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98",
		"\xe0\x9f\xbf", "\xc1\xbf", "\xed\x9f\xbf", "\xee\x80\x80", strings.Repeat("x", 31)}
	rnd := rand.New(rand.NewPCG(41, 42))
	for range 100_000 {
		var b strings.Builder
		kinds := []int{4, 4, len(pieces)}[rnd.IntN(3)]
		for range rnd.IntN(30) {
			b.WriteString(pieces[rnd.IntN(kinds)])
		}
		if s := b.String(); validUTF8(s) != utf8.ValidString(s) {
			t.Fatalf("validUTF8(%q) is %v", s, validUTF8(s))
		}
	}
}

func TestRawJSONLosesItsSpacesOnly(t *testing.T) {
	rnd := rand.New(rand.NewPCG(43, 44))
	var value func(depth int) []byte
	value = func(depth int) []byte {
		space := []byte(strings.Repeat(" \n\t\r"[rnd.IntN(4):][:1], rnd.IntN(3)))
		open, shut := byte('['), byte(']')
		switch {
		case depth == 0 || rnd.IntN(3) == 0:
			return append(AppendString(space, randomString(rnd)+" \" \\"), space...)
		case rnd.IntN(2) == 0:
			open, shut = '{', '}'
		}
		out := append(bytes.Clone(space), open)
		for i := range rnd.IntN(5) {
			if i > 0 {
				out = append(out, ',')
			}
			if open == '{' {
				out = append(AppendString(append(out, space...), randomString(rnd)), ':')
			}
			out = append(out, value(depth-1)...)
		}
		return append(append(out, space...), shut)
	}
	for range 2000 {
		src := value(3)
		var want bytes.Buffer
		if err := json.Compact(&want, src); err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		var got RawJSON
		if err := got.UnmarshalJSON(src); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("%s became %s, %v", src, got, err)
		}
	}
}
