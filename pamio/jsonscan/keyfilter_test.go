package jsonscan

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestDuplicatesAreFoundExactly tries objects with few and many keys of all lengths, alike at their
// beginnings and ends, so that prints collide; nested, and with the last key near the end of the
// text.
func TestDuplicatesAreFoundExactly(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	rnd := rand.New(rand.NewPCG(31, 32))
	key := func() string {
		n := rnd.IntN(24)
		b := []byte(strings.Repeat("k", n))
		if n > 0 {
			b[rnd.IntN(n)] = "kxy"[rnd.IntN(3)]
		}
		return string(b)
	}
	written := func(k string) string {
		if k != "" && rnd.IntN(8) == 0 {
			return `"\u00` + string("67"[k[0]>>4-6]) + string("0123456789abcdef"[k[0]&15]) + k[1:] + `"`
		}
		return `"` + k + `"`
	}
	var object func(depth int) (text string, duplicate bool)
	object = func(depth int) (string, bool) {
		seen := map[string]bool{}
		var b strings.Builder
		duplicate := false
		for i := range rnd.IntN(3 * filtered / 2) {
			if i > 0 {
				b.WriteByte(',')
			}
			k := key()
			duplicate = duplicate || seen[k]
			seen[k] = true
			b.WriteString(written(k) + ":")
			if depth > 0 && rnd.IntN(10) == 0 {
				inner, twice := object(depth - 1)
				duplicate = duplicate || twice
				b.WriteString(inner)
			} else {
				b.WriteByte('0')
			}
		}
		return "{" + b.String() + "}", duplicate
	}
	var d Doc
	found := 0
	for range 5000 {
		text, want := object(2)
		if err := d.Parse([]byte(text), 0); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := d.Root().Flags()&DuplicateKey != 0; got != want {
			t.Fatalf("DuplicateKey of %s is %v", text, got)
		}
		if want {
			found++
		}
	}
	if found < 500 || found > 4500 {
		t.Errorf("%d of 5000 objects had a key twice: too few or too many to tell something", found)
	}
}

func TestKeysWithTheSamePrintAreToldApart(t *testing.T) {
	const text = `{"abcdefgh-1-ijklmnop":0,"abcdefgh-2-ijklmnop":0,"":0}`
	if a, b := keyPrint([]byte(text), 2, 21), keyPrint([]byte(text), 26, 45); a != b {
		t.Fatalf("prints %x and %x differ: the test tests nothing", a, b)
	}
	d, err := Parse([]byte(text), 0)
	if err != nil {
		t.Fatal(err)
	}
	if d.Root().Flags() != 0 || d.Root().Len() != 3 {
		t.Errorf("flags %b", d.Root().Flags())
	}
}
