package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

// samples are values and near-values that every property is tried on.
var samples = []string{
	``, ` `, `null`, `true`, `false`, `nul`, `nulll`, `tru`, `0`, `-0`, `-`, `01`, `-01`, `1.`, `.5`, `1.5`, `1e5`, `1E+5`, `1e`, `1e+`, `-1.5e-7`,
	`9007199254740991`, `9007199254740992`, `-9007199254740992`, `123456789012345678901234567890`, `1 2`, `+1`, `0x1`, `NaN`, `Infinity`,
	`""`, `"a"`, `"a`, `"`, `"\"`, `"\\"`, `"\\\"`, `"\u0041"`, `"\u004"`, `"\u00zz"`, `"\x"`, `"\/\b\f\n\r\t"`, "\"\x00\"", "\"\t\"", "\"a\nb\"",
	`"\ud83d\ude00"`, `"\ud83d"`, `"\ude00"`, `"\ud83d\ud83d"`, `"\ude00\ud83d"`, `"\ud83dx"`, `"\ud83d\n"`, `"\ud83d\u0041"`,
	"\"\xff\"", "\"\xc3\xa9\"", "\"\xed\xa0\x80\"", "\"12345678\xff12345678\"", `"12345678901234567\"890"`,
	`[]`, `[ ]`, `[1]`, `[1,2]`, `[1,]`, `[,1]`, `[1 2]`, `[`, `]`, `[[[]]]`, `[[]`, `[1}`, `["a","b"]`,
	`{}`, `{ }`, `{"a":1}`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{a:1}`, `{"a":1 "b":2}`, `{"a":1,"b":[{"c":null}]}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`,
	`{"\ud800":1,"\ud801":2}`, `{"\ud800":1,"\ud800":2}`, `{1:2}`, `{"a":1]`, `{"a" : 1}`, "{\"a\":\r\n1\t}", ` [1] `, "\v1", "\ufeff1", `[1]x`,
	`{"k1":1,"k2":2,"k3":3,"k4":4,"k5":5,"k6":6,"k7":7,"k8":8,"k9":9,"k10":10,"k11":{},"k3":0}`,
	`{"k1":1,"k2":2,"k3":3,"k4":4,"k5":5,"k6":6,"k7":7,"k8":8,"k9":9,"k10":10,"k11":{}}`,
}

func TestParseAcceptsWhatEncodingJSONAccepts(t *testing.T) {
	for _, s := range samples {
		checkParse(t, []byte(s))
	}
}

// checkParse compares Parse and the nodes with encoding/json.
func checkParse(t *testing.T, src []byte) {
	t.Helper()
	d, err := Parse(src, 100_000)
	if valid := json.Valid(src); valid != (err == nil) {
		t.Fatalf("Parse(%q) = %v, encoding/json says %v", src, err, valid)
	}
	if err != nil {
		var s *SyntaxError
		if !errors.As(err, &s) || s.Offset < 0 || s.Offset > len(src) {
			t.Fatalf("Parse(%q) = %#v: want a *SyntaxError inside the text", src, err)
		}
		return
	}
	checkNode(t, d.Root())
	var compact bytes.Buffer
	if err := json.Compact(&compact, src); err != nil {
		t.Fatal(err)
	}
	if got := d.Root().AppendCompact(nil); !bytes.Equal(got, compact.Bytes()) {
		t.Fatalf("AppendCompact(%q) = %q, want %q", src, got, compact.Bytes())
	}
}

func checkNode(t *testing.T, n Node) {
	t.Helper()
	if !json.Valid(n.Raw()) {
		t.Fatalf("Raw %q is not a value", n.Raw())
	}
	switch n.Kind() {
	case String:
		var want string
		if err := json.Unmarshal(n.Raw(), &want); err != nil {
			t.Fatal(err)
		}
		if got := n.Str(); got != want || !n.Is(want) || n.Is(want+"x") || want != "" && n.Is(want[:len(want)/2]) || string(n.AppendStr(nil)) != want {
			t.Fatalf("Str of %q = %q, want %q", n.Raw(), got, want)
		}
	case Array:
		var want []json.RawMessage
		if err := json.Unmarshal(n.Raw(), &want); err != nil {
			t.Fatal(err)
		}
		i := 0
		for v := range n.Items() {
			if !bytes.Equal(v.Raw(), want[i]) {
				t.Fatalf("item %d = %q, want %q", i, v.Raw(), want[i])
			}
			checkNode(t, v)
			i++
		}
		if i != len(want) || n.Len() != i {
			t.Fatalf("%d items and Len %d, want %d", i, n.Len(), len(want))
		}
	case Object:
		var want map[string]json.RawMessage
		if err := json.Unmarshal(n.Raw(), &want); err != nil {
			t.Fatal(err)
		}
		keys := map[string]bool{}
		for k, v := range n.Fields() {
			keys[k.Str()] = true
			checkNode(t, v)
		}
		if len(keys) != len(want) {
			t.Fatalf("%d keys in %q, want %d", len(keys), n.Raw(), len(want))
		}
		if dup := n.Flags()&DuplicateKey != 0; !n.Odd() && n.Len() != len(want) || !dup && n.Flags()&(LoneSurrogate|BadUTF8) == 0 && n.Len() != len(want) {
			t.Fatalf("DuplicateKey of %q is %v", n.Raw(), dup)
		}
		for k, v := range want {
			if n.Flags()&(LoneSurrogate|BadUTF8) == 0 && !bytes.Equal(n.Get(k).Raw(), v) {
				t.Fatalf("Get(%q) = %q, want %q", k, n.Get(k).Raw(), v)
			}
		}
	}
}

func TestFlagsNameWhatIsUnusual(t *testing.T) {
	for _, c := range []struct {
		src  string
		want Flag
	}{
		{`{"a":[1,"x"]}`, 0},
		{`"a\n"`, Escaped},
		{`["a\n"]`, 0}, // an escape is a matter of its string alone
		{`[1, 2]`, Spaced},
		{`{"a": 1}`, Spaced}, {`{"a" :1}`, Spaced}, {`{ }`, Spaced}, {`[1 ]`, Spaced}, {` [1] `, 0},
		{`["\ud800"]`, LoneSurrogate}, {`{"\udc00":1}`, LoneSurrogate}, {`["\ud83d\ude00"]`, 0},
		{"[\"\xff\"]", BadUTF8},
		{`[{"a":1,"a":2}]`, DuplicateKey}, {`{"a":{"b":1},"b":{"b":1}}`, 0},
		{`{"\ud800":1,"\ud801":2}`, LoneSurrogate}, // two different keys
		{`[9007199254740992]`, BigInteger}, {`[9007199254740991]`, 0}, {`[9007199254740993.0]`, 0}, {`[1e300]`, 0}, {`[-9007199254740992]`, BigInteger},
		{`{"big":12345678901234567890,"s":"\ud800"}`, BigInteger | LoneSurrogate},
	} {
		d, err := Parse([]byte(c.src), 0)
		if err != nil {
			t.Fatalf("%s: %v", c.src, err)
		}
		if got := d.Root().Flags(); got != c.want {
			t.Errorf("flags of %s = %06b, want %06b", c.src, got, c.want)
		}
	}
}

func TestSyntaxErrorsSayWhere(t *testing.T) {
	for _, c := range []struct {
		src string
		at  int
	}{
		{`{"a":tru}`, 5}, {`[1,2`, 4}, {`"ab` + "\x01" + `"`, 3}, {`"ab\q"`, 3}, {`{"a":1,}`, 7}, {`[1]]`, 3}, {`"abc`, 4}, {``, 0}, {`[01]`, 1}, {`"\u12g4"`, 1},
	} {
		_, err := Parse([]byte(c.src), 0)
		var s *SyntaxError
		if !errors.As(err, &s) || s.Offset != c.at {
			t.Errorf("Parse(%q) = %v, want an error at byte %d", c.src, err, c.at)
		}
	}
}

func TestNestingIsLimited(t *testing.T) {
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if _, err := Parse(nested(DefaultMaxDepth), 0); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if _, err := Parse(nested(DefaultMaxDepth+1), 0); !errors.Is(err, ErrTooDeep) {
		t.Errorf("beyond the limit: %v, want ErrTooDeep", err)
	}
	if _, err := Parse(nested(3), 2); !errors.Is(err, ErrTooDeep) {
		t.Errorf("beyond a limit of 2: %v, want ErrTooDeep", err)
	}
}

func TestDocIsUsedAgain(t *testing.T) {
	var d Doc
	for _, s := range []string{`{"a":[1,2,3]}`, `"x"`, `[[1],[2]]`} {
		if err := d.Parse([]byte(s), 0); err != nil {
			t.Fatal(err)
		}
		if got := string(d.Root().Raw()); got != s {
			t.Errorf("after %s the document is %s", s, got)
		}
	}
	if err := d.Parse([]byte(`[1,`), 0); err == nil {
		t.Error("a truncated value was accepted")
	}
	if d.Root().Exists() {
		t.Error("there is a value after an error")
	}
}

func TestMissingNodeIsEmpty(t *testing.T) {
	d, err := Parse([]byte(`{"a":{"b":"c","n":null,"t":true}}`), 0)
	if err != nil {
		t.Fatal(err)
	}
	missing := d.Root().Get("x").Get("y")
	if missing.Exists() || missing.Kind() != Invalid || missing.Str() != "" || missing.Raw() != nil || missing.Len() != 0 ||
		missing.True() || missing.IsNull() || missing.Is("") || missing.Flags() != 0 || missing.Offset() != 0 {
		t.Error("a missing node has something")
	}
	a := d.Root().Get("a")
	if !a.Get("b").Is("c") || !a.Get("n").IsNull() || !a.Get("t").True() || a.Get("b").Offset() != 10 {
		t.Error("a node that is there has not what it should have")
	}
	if got := missing.AppendCompact([]byte("x")); string(got) != "x" {
		t.Errorf("AppendCompact of nothing gave %q", got)
	}
}

func TestGetGivesTheLastOfTwo(t *testing.T) {
	d, err := Parse([]byte(`{"a":1,"b":2,"a":3}`), 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(d.Root().Get("a").Raw()); got != "3" {
		t.Errorf("Get = %s, want the last", got)
	}
	if d.Root().Len() != 3 {
		t.Error("a duplicate is not counted")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		checkParse(t, src)
	})
}

func TestManyKeysAreToldApart(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + strings.Repeat("k", i%7) + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + `":0`)
	}
	d, err := Parse([]byte("{"+b.String()+"}"), 0)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for k := range d.Root().Fields() {
		keys = append(keys, k.Str())
	}
	slices.Sort(keys)
	if unique := len(slices.Compact(keys)) == 5000; unique == (d.Root().Flags()&DuplicateKey != 0) {
		t.Errorf("5000 keys, unique: %v, flags %b", unique, d.Root().Flags())
	}
}
