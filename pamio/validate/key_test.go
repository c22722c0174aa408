package validate

import (
	"bytes"
	"slices"
	"testing"
)

func FuzzKey(f *testing.F) {
	for _, id := range []string{"", "\x00", "mem-1", "1b4e28ba-2fa1-11d2-883f-0016d3cca427", "1B4E28BA-2FA1-11D2-883F-0016D3CCA427", "1b4e28ba-2fa1-11d2-883f-0016d3cca42g", "1b4e28ba-2fa1-11d2-883f-0016d3cca4-7", "1b4e28ba-2fa1-11d2-883f-0016d3cca42-", "-b4e28ba-2fa1-11d2-883f-0016d3cca42-", "------------------------------------"} {
		f.Add(id, "1b4e28ba-2fa1-11d2-883f-0016d3cca428")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		k, l := appendKey(nil, a), appendKey([]byte("before"), b)[len("before"):]
		if idOf(k) != a || idOf(l) != b {
			t.Errorf("%q became %q, %q became %q", a, idOf(k), b, idOf(l))
		}
		if bytes.Equal(k, l) != (a == b) {
			t.Errorf("the keys of %q and %q are %x and %x", a, b, k, l)
		}
	})
}

func TestNumbersOfRecordsSortAsTheyCompare(t *testing.T) {
	numbers := []int{0, 1, 127, 128, 255, 256, 65535, 65536, 1<<32 - 1, 1 << 32, 1<<63 - 1, -2, -1}
	var last record
	for _, n := range numbers {
		r := record{}.int(n)
		f := fields(r)
		if got := f.int(); got != n || len(f) > 0 {
			t.Errorf("%d is read as %d", n, got)
		}
		if slices.Compare(last, r) >= 0 {
			t.Errorf("%d does not sort behind the number before it", n)
		}
		last = r
	}
}

func TestRecordsHoldLongIDs(t *testing.T) {
	long := string(bytes.Repeat([]byte("x"), 300))
	f := fields(record{}.id(long).id("").key("").text("end"))
	if got := idOf(f.peek()); got != long {
		t.Errorf("the id is read as %q", got)
	}
	if got := f.peek(); len(got) != 0 {
		t.Errorf("no id is read as %q", got)
	}
	if got := idOf(f.peek()); got != "" {
		t.Errorf("the empty id is read as %q", got)
	}
	if got := f.text(); got != "end" {
		t.Errorf("what follows is read as %q", got)
	}
}
