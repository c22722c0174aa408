package normalize

import (
	"testing"

	"github.com/pamline/pamline/pamio/jsonscan"
)

func TestEpochInstantKeepsEveryDigit(t *testing.T) {
	for _, c := range []struct {
		lexeme, want string
		exact        bool
	}{
		{"1760797036.654284", "2025-10-18T14:17:16.654284Z", true},
		{"1695370984.0", "2023-09-22T08:23:04Z", true},
		{"1695370984", "2023-09-22T08:23:04Z", true},
		{"1695370984.5", "2023-09-22T08:23:04.500000Z", true},
		{"1695370984.50", "2023-09-22T08:23:04.500000Z", true},
		{"1695370984.1234567", "2023-09-22T08:23:04.123456Z", false},
		{"1695370984.9999999", "2023-09-22T08:23:04.999999Z", false},
		{"1.695370984e9", "2023-09-22T08:23:04Z", true},
		{"1695370984000", "2023-09-22T08:23:04Z", false},
		{"1695370984123.5", "2023-09-22T08:23:04.123500Z", false},
		{"1695370984123456", "2023-09-22T08:23:04.123456Z", false},
		{"0.5", "1970-01-01T00:00:00.500000Z", true},
		{"1", "1970-01-01T00:00:01Z", true},
		{"99999999999", "5138-11-16T09:46:39Z", true},
		{"100000000000", "1973-03-03T09:46:40Z", false},
		{"0", "", false}, {"0.0", "", false}, {"-1", "", false}, {"1e400", "", false}, {"1E-9", "", false},
		{"123456789012345678901234567890", "", false},
	} {
		got, ok := EpochInstant([]byte(c.lexeme))
		if ok != (c.want != "") || ok && got.String() != c.want {
			t.Errorf("%s: %v %v, want %s", c.lexeme, got, ok, c.want)
			continue
		}
		if ok && got.Gives([]byte(c.lexeme)) != c.exact {
			t.Errorf("%s: exact is %v, want %v", c.lexeme, !c.exact, c.exact)
		}
	}
}

func TestISOInstant(t *testing.T) {
	for in, want := range map[string]string{
		"2024-05-01T10:00:00Z":             "2024-05-01T10:00:00Z",
		"2024-05-01T10:00:00+02:00":        "2024-05-01T08:00:00Z",
		"2024-05-01 10:00:00.5":            "2024-05-01T10:00:00.500000Z",
		"2024-05-01T10:00:00.1234567Z":     "2024-05-01T10:00:00.123456Z",
		"2024-05-01T10:00:00.123456+00:00": "2024-05-01T10:00:00.123456Z",
		"2024-05-01T10:00":                 "2024-05-01T10:00:00Z",
		"2024-05-01":                       "", "yesterday": "", "1969-01-01T00:00:00Z": "", "2024-13-01T10:00:00Z": "",
	} {
		got, ok := ISOInstant(in)
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%s: %v %v, want %q", in, got, ok, want)
		}
	}
}

func TestSixSortsAsTimesDo(t *testing.T) {
	a, b := Instant{100, 0}, Instant{100, 1}
	if a.Six() >= b.Six() || a.Compare(b) != -1 || b.Compare(a) != 1 || a.Compare(a) != 0 {
		t.Error("order of texts and times differ")
	}
	if back, ok := ParseInstant(b.String()); !ok || back != b {
		t.Errorf("read back %v", back)
	}
}

func FuzzEpochInstant(f *testing.F) {
	for _, s := range []string{"1760797036.654284", "1e9", "0.000001", "253402300799.999999", "1e-400", "-0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := jsonscan.Parse([]byte(s), 0)
		if err != nil || d.Root().Kind() != jsonscan.Number {
			return
		}
		at, ok := EpochInstant(d.Root().Raw())
		if !ok || at.Sec >= 100_000_000_000 { // what is written as seconds would be read as milliseconds
			return
		}
		back, ok := EpochInstant(at.AppendSeconds(nil))
		if !ok || back != at {
			t.Fatalf("%s gives %v, which gives %v %v", s, at, back, ok)
		}
		if parsed, ok := ParseInstant(at.String()); !ok || parsed != at {
			t.Fatalf("%s gives %s, which gives %v", s, at, parsed)
		}
	})
}
