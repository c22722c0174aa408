package normalize

import (
	"strings"
	"testing"
)

// Every odd text and every repeated key below a long one has a pointer that is as long: together
// they would be the square of the value.
func TestAnEscrowGrowsNoFasterThanWhatItIsOf(t *testing.T) {
	long := strings.Repeat("k", 20_000)
	deep := strings.Repeat(`{"`+long[:200]+`":`, 100)
	for name, src := range map[string]string{
		"texts below a long key": `{"` + long + `":[` + strings.Repeat(`"\ud800",`, 2000) + `0]}`,
		"keys below a long one":  `{"` + long + `":{` + strings.Repeat(`"a":0,`, 2000) + `"b":0}}`,
		"far down":               deep + `[` + strings.Repeat(`"\udfff",`, 5000) + `0]` + strings.Repeat("}", 100),
		"one text of many":       `{"t":"` + strings.Repeat(`\ud800`, 50_000) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			n := parse(t, src)
			clean, e := Clean(n)
			if most := 3*len(src) + 70<<10; len(e.Entries) > most {
				t.Errorf("the escrow of %d bytes has %d", len(src), len(e.Entries))
			}
			if len(e.Counts) == 0 {
				t.Error("nothing is counted")
			}
			c, entries := parse(t, string(clean)), parse(t, "["+string(e.Entries)+"]")
			if c.Odd() || entries.Odd() {
				t.Fatal("not clean")
			}
			if back := Unclean(nil, c, entries); !Equal(n, parse(t, string(back))) {
				t.Error("it does not come back")
			}
		})
	}
}

func TestAnEditedValueIsNotReplacedByItsSource(t *testing.T) {
	_, e := Clean(parse(t, `{"`+strings.Repeat("k", 20_000)+`":[`+strings.Repeat(`"\ud800",`, 2000)+`0],"b":1}`))
	if !strings.HasPrefix(string(e.Entries), `{"at":"","source":"`) {
		t.Fatal("it is no entry of the whole")
	}
	entries := parse(t, "["+string(e.Entries)+"]")
	if got := Unclean(nil, parse(t, `{"b":2}`), entries); string(got) != `{"b":2}` {
		t.Errorf("got %.80q", got)
	}
	for _, bad := range []string{"%%", "e30", "", "ew=="} {
		entries := parse(t, `[{"at":"","source":"`+bad+`"}]`)
		if got := Unclean(nil, parse(t, `{"b":2}`), entries); string(got) != `{"b":2}` {
			t.Errorf("%q: got %.80q", bad, got)
		}
	}
}

// Names for repeated keys are found without trying all that were found before.
func TestManyRepetitionsOfAKeyAreNamedInOrder(t *testing.T) {
	const many = 50_000 // trying them all would be a thousand million attempts
	clean, e := Clean(parse(t, `{`+strings.Repeat(`"a":0,`, many)+`"a":1}`))
	if e.Counts["duplicate_key"] != many {
		t.Errorf("%d repeated keys", e.Counts["duplicate_key"])
	}
	if !strings.HasPrefix(string(clean), "{\"a\uFFFD#1\":0,\"a\uFFFD#2\":0,") || !strings.HasSuffix(string(clean), "\"a\uFFFD#50000\":0,\"a\":1}") {
		t.Errorf("got %.60s", clean)
	}
}
