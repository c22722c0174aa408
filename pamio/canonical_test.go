package pamio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"

	"github.com/pamline/pamline/pamio/jsonscan"
)

type canonicalVector struct {
	Note string `json:"note"`
	// Input is the JSON text that is canonicalized.
	Input string `json:"input"`
	// Canonical is the result; when it is absent the input is refused for Reason at Pointer.
	Canonical *string `json:"canonical"`
	Reason    string  `json:"reason"`
	Pointer   string  `json:"pointer"`
}

var reasons = map[string]error{
	"duplicate-key": ErrDuplicateKey, "big-integer": ErrBigInteger, "lone-surrogate": ErrLoneSurrogate, "number-range": ErrNumberRange,
}

func canonicalVectors(t testing.TB) (all []canonicalVector) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "vectors", "canonical.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestCanonicalizeFollowsThePublishedVectors(t *testing.T) {
	for _, v := range canonicalVectors(t) {
		got, err := Canonicalize([]byte(v.Input))
		if v.Canonical != nil {
			if err != nil || string(got) != *v.Canonical {
				t.Errorf("%s: Canonicalize(%s) = %s, %v, want %s", v.Note, v.Input, got, err, *v.Canonical)
			}
			continue
		}
		checkRefusal(t, v.Input, err, reasons[v.Reason], v.Pointer)
	}
}

func checkRefusal(t *testing.T, input string, err, reason error, pointer string) {
	t.Helper()
	var c *CanonicalError
	if !errors.As(err, &c) || !errors.Is(err, reason) || c.Pointer != pointer {
		t.Errorf("Canonicalize(%q): %v, want %v at %q", input, err, reason, pointer)
	}
}

func TestCanonicalizeRefusesBytesThatAreNotUTF8(t *testing.T) {
	_, err := Canonicalize([]byte("{\"a\":[1,\"\xff\"]}"))
	checkRefusal(t, "\\xff", err, ErrInvalidUTF8, "/a/1")
}

func TestCanonicalizeRefusesWhatIsNotJSON(t *testing.T) {
	for _, s := range []string{``, `{`, `[1,]`, `{"a":1}x`, `01`, "\ufeff1"} {
		_, err := Canonicalize([]byte(s))
		var syntax *jsonscan.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("Canonicalize(%q): %v, want a syntax error", s, err)
		}
	}
}

func TestCanonicalBytesAreReturnedAsTheyStand(t *testing.T) {
	src := []byte(`{"a":[1,2.5,"x"],"b":null}`)
	got, err := Canonicalize(src)
	if err != nil || &got[0] != &src[0] {
		t.Errorf("canonical bytes were copied, %v", err)
	}
}

// checkCanonical compares Canonicalize and the recognizer with the oracle.
func checkCanonical(t *testing.T, src []byte) {
	t.Helper()
	got, err := Canonicalize(src)
	want, oracleErr := jcs.Transform(src)
	if err != nil {
		var refused *CanonicalError
		var syntax *jsonscan.SyntaxError
		switch {
		case errors.As(err, &refused):
			if oracleErr == nil && !errors.Is(err, ErrBigInteger) {
				t.Fatalf("Canonicalize(%q): %v, the oracle gives %q", src, err, want)
			}
		case errors.As(err, &syntax):
			if oracleErr == nil && !errors.Is(err, jsonscan.ErrTooDeep) {
				t.Fatalf("Canonicalize(%q): %v, the oracle gives %q", src, err, want)
			}
		default:
			t.Fatalf("Canonicalize(%q): untyped error %v", src, err)
		}
		if isCanonical(src) {
			t.Fatalf("%q was recognized as canonical, but: %v", src, err)
		}
		return
	}
	if oracleErr != nil || !bytes.Equal(got, want) {
		t.Fatalf("Canonicalize(%q) = %q, the oracle says %q, %v", src, got, want, oracleErr)
	}
	if d, err := jsonscan.Parse(src, 0); err == nil {
		node, err := CanonicalizeNode(d.Root())
		if err != nil || !bytes.Equal(node, want) {
			t.Fatalf("CanonicalizeNode(%q) = %q, %v, want %q", src, node, err, want)
		}
	}
	if isCanonical(src) != bytes.Equal(src, want) {
		t.Fatalf("%q is recognized as canonical: %v, canonical form %q", src, isCanonical(src), want)
	}
}

var canonicalSeeds = []string{
	`{"b":1,"a":[true,null,1.0,-0,1e21,1E-7]}`, `"\u001f\u0008\/"`, `{"\ue000":1,"\ud83d\ude00":2}`, `{"é":1,"z":2}`, `{"a\"b":1,"a\\b":2,"ab":3}`,
	`[0.1,100,1e2,123456789012345680000,5e-324,1.7976931348623157e308]`, "\"\u007f\u2028\"", `{"":0,"\n":1}`, ` 1 `, `{"a":{"a":{"a":[]}}}`, `[-1,-1.5,-0.0]`,
	`{"\n":1,"\u000b":2," ":3}`, `{"\u000b":1,"\n":2}`, `[9007199254740991,-9007199254740991]`, `1e-6`, `1e-7`, `0.000001`, `{"1":1,"10":2,"2":3}`, `100000000000000000000`,
}

func TestCanonicalizeEqualsTheOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	for _, s := range canonicalSeeds {
		checkCanonical(t, []byte(s))
	}
	rnd := rand.New(rand.NewPCG(3, 9))
	for range 3000 {
		src := randomJSON(rnd, nil, 0)
		checkCanonical(t, src)
		if canonical, err := jcs.Transform(src); err == nil {
			checkCanonical(t, canonical)
		}
	}
}

func FuzzCanonicalize(f *testing.F) {
	for _, s := range canonicalSeeds {
		f.Add([]byte(s))
	}
	for _, v := range canonicalVectors(f) {
		f.Add([]byte(v.Input))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if src != nil {
			checkCanonical(t, src)
		}
	})
}

var runes = []rune("aZ0 \"\\/\b\f\n\r\t\x00\x1f\x7fé中\u2028\ue000\uffff😀𐐀")

func randomString(rnd *rand.Rand) string {
	var b strings.Builder
	for range rnd.IntN(6) {
		b.WriteRune(runes[rnd.IntN(len(runes))])
	}
	return b.String()
}

// randomJSON appends a value with odd spacing, spellings and order.
func randomJSON(rnd *rand.Rand, dst []byte, depth int) []byte {
	space := func() {
		for rnd.IntN(8) == 0 {
			dst = append(dst, " \n\t\r"[rnd.IntN(4)])
		}
	}
	str := func() {
		if rnd.IntN(2) == 0 {
			dst = AppendString(dst, randomString(rnd))
			return
		}
		dst = append(dst, '"')
		for range rnd.IntN(5) {
			dst = fmt.Appendf(dst, `\u%04X`, rnd.IntN(0xD800))
		}
		dst = append(dst, '"')
	}
	space()
	switch k := rnd.IntN(9); {
	case k < 2 && depth < 4:
		dst = append(dst, '{')
		for i := range rnd.IntN(5) {
			if i > 0 {
				dst = append(dst, ',')
			}
			space()
			str()
			dst = append(dst, ':')
			dst = randomJSON(rnd, dst, depth+1)
		}
		dst = append(dst, '}')
	case k < 4 && depth < 4:
		dst = append(dst, '[')
		for i := range rnd.IntN(5) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = randomJSON(rnd, dst, depth+1)
		}
		dst = append(dst, ']')
	case k < 6:
		str()
	case k == 6:
		dst = append(dst, []string{"true", "false", "null"}[rnd.IntN(3)]...)
	default:
		dst = fmt.Appendf(dst, []string{"%d", "%.3f", "%e", "%.1fE+5", "-%d"}[rnd.IntN(5)], []any{rnd.IntN(1 << 20)}[0])
		if bytes.Contains(dst, []byte("%!")) {
			dst = fmt.Appendf(dst[:bytes.LastIndex(dst, []byte("%!"))], "%v", rnd.Float64()*math.Pow(10, float64(rnd.IntN(60)-30)))
		}
	}
	space()
	return dst
}

func TestNumbersHaveTheECMAScriptForm(t *testing.T) {
	check := func(f float64) {
		want, err := jcs.NumberToJSON(f)
		if err != nil {
			return
		}
		if got := string(appendNumber([]byte("x"), f)); got != "x"+want {
			t.Errorf("number %x is %s, want %s", math.Float64bits(f), got, want)
		}
	}
	for _, f := range []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e21, 1e20, 999999999999999900000, 1e-6, 1e-7, 9.999999e-7, 5e-324, math.MaxFloat64, 1e9, 1e100, 4.35, 0.9974} {
		check(f)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		check(math.Float64frombits(rnd.Uint64()))
	}
}

func TestDecimalsAreRecognizedAsCanonical(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 50000 {
		b := []byte("-"[:rnd.IntN(2)])
		for range 1 + rnd.IntN(4) {
			b = append(b, "00123456789"[rnd.IntN(11)])
		}
		b = append(b, '.')
		for range rnd.IntN(16) {
			b = append(b, "00000123456789"[rnd.IntN(14)])
		}
		b = append(b, []string{"", "", "", "", "e2", "E-3", ".5"}[rnd.IntN(7)]...)
		checkCanonical(t, b)
	}
}

func TestStringsHaveTheFewestEscapes(t *testing.T) {
	var all []rune
	for r := rune(0); r < 0x300; r++ {
		all = append(all, r)
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	texts := []string{"", string(all), "12345678\"", "1234567\\", "123456789\x01", strings.Repeat("é", 20) + "\"", "\u2028\U0001F600</script>&"}
	for range 2000 {
		texts = append(texts, randomString(rnd)+randomString(rnd)+randomString(rnd))
	}
	for _, s := range texts {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		want, err := jcs.Transform(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := AppendString(nil, s); !bytes.Equal(got, want) {
			t.Errorf("AppendString(%q) = %s, want %s", s, got, want)
		}
	}
	if got := string(AppendString(nil, "a\xffb\xed\xa0\x80")); got != "\"a\ufffdb\ufffd\ufffd\ufffd\"" {
		t.Errorf("bytes that are not UTF-8 become %q", got)
	}
}

func BenchmarkCanonicalize(b *testing.B) {
	m := sampleMemory()
	canonical, err := m.AppendCanonical(nil)
	if err != nil {
		b.Fatal(err)
	}
	var spaced bytes.Buffer
	if err := json.Indent(&spaced, canonical, "", " "); err != nil {
		b.Fatal(err)
	}
	for name, src := range map[string][]byte{"canonical": canonical, "other": spaced.Bytes()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Canonicalize(src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
