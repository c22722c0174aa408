package normalize

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio/jsonscan"
)

func parse(t testing.TB, s string) jsonscan.Node {
	t.Helper()
	d, err := jsonscan.Parse([]byte(s), 0)
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return d.Root()
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`1.0`, `1`, true}, {`1e2`, `100`, true}, {`-0`, `0`, true}, {`0.10`, `1E-1`, true},
		{`9007199254740993`, `9007199254740992`, false}, {`1e-400`, `0`, false},
		{`"a"`, `"\u0061"`, true}, {`"\ud83d\ude00"`, `"😀"`, true}, {`"\ud83d"`, `"\ufffd"`, false}, {`"\ud83d"`, `"\ud83e"`, false},
		{"\"\xed\xa0\xbd\xed\xb8\x80\"", `"😀"`, true}, {"\"\xff\"", `"\ufffd"`, false}, {"\"\xff\"", "\"\xfe\"", false},
		{`{"a":1,"b":2}`, `{"b":2,"a":1.0}`, true}, {`{"a":1}`, `{"a":1,"b":null}`, false}, {`{"a":null}`, `{}`, false},
		{`{"a":1,"a":2}`, `{"a":2,"a":1}`, false}, {`{"a":1,"a":2}`, `{"a":2}`, false},
		{`[1,2]`, `[2,1]`, false}, {`[]`, `[[]]`, false}, {`""`, `null`, false}, {`"1"`, `1`, false}, {`["a,b"]`, `["a","b"]`, false},
	} {
		if got := Equal(parse(t, c.a), parse(t, c.b)); got != c.want {
			t.Errorf("%s and %s: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// Ids of released importers are digests of this form: it must stay as it is.
func TestIdentityStaysTheSame(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":1.50,"a":[null,true,"x"]}`:        "{\"a\xff\":[null,true,\"x\xff\",],\"b\xff\":15e-1,}",
		`{"ab":1,"abc":2,"\u0061":3,"":4}`:      "{\"abc\xff\":2e0,\"ab\xff\":1e0,\"a\xff\":3e0,\"\xff\":4e0,}",
		`{"k":{"y":"\ud83d","x":"\n"},"k":"l"}`: "{\"k\xff\":{\"x\xff\":\"\n\xff\",\"y\xff\":\"\xed\xa0\xbd\xff\",},\"k\xff\":\"l\xff\",}",
	} {
		if got := string(AppendIdentity(nil, parse(t, in))); got != want {
			t.Errorf("%s\n got %q\nwant %q", in, got, want)
		}
	}
}

// odd makes values with everything that a document cannot hold.
func odd(r *rand.Rand, depth int) string {
	texts := []string{`"a"`, `"\ud83d"`, `"\ude00\ud83d"`, "\"\xff\"", "\"\xed\xa0\xbd\xed\xb8\x80\"", "\"\xed\xa0\xbd\"", `"�\ufffd"`, `"\ud83d\ude00\udc00"`, `""`, "\"\xc3\"", `"~/"`}
	switch n := r.IntN(4); {
	case depth > 0 && n == 0:
		var out []string
		for range r.IntN(4) {
			out = append(out, odd(r, depth-1))
		}
		return "[" + strings.Join(out, " ,") + "]"
	case depth > 0 && n == 1:
		var out []string
		for range r.IntN(5) {
			out = append(out, texts[r.IntN(len(texts))]+":"+odd(r, depth-1))
		}
		return "{" + strings.Join(out, ",") + "}"
	}
	return texts[r.IntN(len(texts))]
}

func TestUncleanIsTheInverseOfClean(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		src := odd(r, 4)
		n := parse(t, src)
		clean, e := Clean(n)
		c := parse(t, string(clean))
		if c.Odd() {
			t.Fatalf("%q is not clean: %q", src, clean)
		}
		entries := parse(t, "["+string(e.Entries)+"]")
		if entries.Odd() {
			t.Fatalf("escrow of %q is not clean: %q", src, e.Entries)
		}
		if back := Unclean(nil, c, entries); !Equal(n, parse(t, string(back))) {
			t.Fatalf("%q\nclean %q\nescrow %q\nback %q", src, clean, e.Entries, back)
		}
		if Leaves(n) != Leaves(c) {
			t.Fatalf("%q has %d leaves, clean %d", src, Leaves(n), Leaves(c))
		}
	}
}

func TestEscrowOfAnEditedTextIsNotUsed(t *testing.T) {
	_, e := Clean(parse(t, `{"a":"x\ud83d","b":"y\ud83d"}`))
	entries := parse(t, "["+string(e.Entries)+"]")
	got := Unclean(nil, parse(t, "{\"a\":\"edited \uFFFD\",\"b\":\"y\uFFFD\"}"), entries)
	if want := "{\"a\":\"edited \uFFFD\",\"b\":\"y\\ud83d\"}"; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if e.Counts["lone_surrogate"] != 2 {
		t.Errorf("counts %v", e.Counts)
	}
}

func TestLastOfARepeatedKeyKeepsItsName(t *testing.T) {
	clean, _ := Clean(parse(t, `{"a":1,"a":2}`))
	if v := parse(t, string(clean)).Get("a"); string(v.Raw()) != "2" {
		t.Errorf("clean is %s", clean)
	}
}

func TestResidualAndOverlayAreInverse(t *testing.T) {
	src := parse(t, `{"a": {"b": "take", "c": [1, "take", {"d": "take"}]}, "e": "take", "~/": {"f": "take"}, "g": 1.50}`)
	var taken Taken
	var patches []Patch
	var visit func(n jsonscan.Node, path string)
	visit = func(n jsonscan.Node, path string) {
		if n.Is("take") {
			taken.Take(n)
			patches = append(patches, Patch{path, n.Raw()})
		}
		i := 0
		for v := range n.Items() {
			visit(v, path+"/"+string(rune('0'+i)))
			i++
		}
		for k, v := range n.Fields() {
			visit(v, path+"/"+EscapePointer(k.Str()))
		}
	}
	visit(src, "")
	left := 0
	residual := taken.AppendResidual(nil, src, &left)
	if want := `{"a":{"c":[1,"",{}]},"~/":{},"g":1.50}`; string(residual) != want || left != 2 {
		t.Errorf("residual %s with %d leaves, want %s with 2", residual, left, want)
	}
	if back := AppendOverlay(nil, parse(t, string(residual)), patches); !Equal(src, parse(t, string(back))) {
		t.Errorf("back %s", back)
	}
}

func TestConversationIDIsFrozen(t *testing.T) {
	if got := ConversationID("chatgpt", "conv-1"); got != "14c2a7dd-1bc6-5d4c-9d14-7ca103cc207f" {
		t.Errorf("got %s, which is another id: the rules of ids must never change", got)
	}
	if ConversationID("a", "bc") == ConversationID("ab", "c") {
		t.Error("provider and id run together")
	}
}

func FuzzClean(f *testing.F) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 20 {
		f.Add([]byte(odd(r, 3)))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		d, err := jsonscan.Parse(src, 100)
		if err != nil {
			return
		}
		clean, e := Clean(d.Root())
		back := Unclean(nil, parse(t, string(clean)), parse(t, "["+string(e.Entries)+"]"))
		if !Equal(d.Root(), parse(t, string(back))) {
			t.Fatalf("%q\nclean %q\nback %q", src, clean, back)
		}
	})
}
