package pamio

import (
	"strings"
	"testing"
	"time"
)

func TestFormatTime(t *testing.T) {
	zone := time.FixedZone("", 5*3600+30*60)
	for _, c := range []struct {
		t    time.Time
		want string
	}{
		{time.Date(2026, 1, 31, 23, 59, 59, 0, time.UTC), "2026-01-31T23:59:59Z"},
		{time.Date(2026, 1, 31, 23, 59, 59, 999, time.UTC), "2026-01-31T23:59:59Z"},
		{time.Date(2026, 1, 31, 23, 59, 59, 1000, time.UTC), "2026-01-31T23:59:59.000001Z"},
		{time.Date(2026, 1, 31, 23, 59, 59, 999999999, time.UTC), "2026-01-31T23:59:59.999999Z"},
		{time.Date(2026, 2, 1, 5, 0, 0, 500_000_000, zone), "2026-01-31T23:30:00.500000Z"},
		{time.Date(1969, 12, 31, 23, 59, 59, 123_456_789, time.UTC), "1969-12-31T23:59:59.123456Z"},
		{time.Unix(0, 0), "1970-01-01T00:00:00Z"},
	} {
		got := FormatTime(c.t)
		if got != c.want || !isOutputTime(got) {
			t.Errorf("FormatTime(%v) = %s, want %s", c.t, got, c.want)
		}
	}
}

func TestParseTime(t *testing.T) {
	for s, want := range map[string]string{
		"2026-01-31T23:59:59Z":                         "2026-01-31T23:59:59Z",
		"2026-01-31t23:59:59z":                         "2026-01-31T23:59:59Z",
		"2026-01-31T23:59:60Z":                         "2026-01-31T23:59:59Z",
		"2026-01-31T23:59:60.25Z":                      "2026-01-31T23:59:59.250000Z",
		"2026-02-01T01:00:00+02:30":                    "2026-01-31T22:30:00Z",
		"2026-01-31T23:00:00-01:00":                    "2026-02-01T00:00:00Z",
		"2026-01-31T23:59:59.1234567Z":                 "2026-01-31T23:59:59.123456Z",
		"2026-01-31T23:59:59.1+00:00":                  "2026-01-31T23:59:59.100000Z",
		"2024-02-29T00:00:00Z":                         "2024-02-29T00:00:00Z",
		"2026-01-31T23:59:59.0000000Z":                 "2026-01-31T23:59:59Z",
		"2026-01-31T00:00:00.123456789Z":               "2026-01-31T00:00:00.123456Z",
		"2026-01-31T00:00:00.12345678901234567890123Z": "2026-01-31T00:00:00.123456Z",
	} {
		got, err := ParseTime(s)
		if err != nil || FormatTime(got) != want {
			t.Errorf("ParseTime(%q) = %v, %v, want %s", s, got, err, want)
		}
	}
	for _, s := range []string{
		"", "yesterday", "2026-01-31", "2026-01-31T23:59:59", "2026-01-31 23:59:59Z", "2026-01-31T23:59Z", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
		"2026-01-32T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+0100",
		"2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+01:60", "2026-01-01T00:00:00Z ", "20260101T000000Z", "1700000000", "2026-01-01T00:00:00,5Z", "+026-01-01T00:00:00Z", "2026-01-01T00:00:00ZZ",
	} {
		if got, err := ParseTime(s); err == nil {
			t.Errorf("ParseTime(%q) = %v, want an error", s, got)
		}
	}
}

func TestOutputTimesHaveOneForm(t *testing.T) {
	for s, want := range map[string]bool{
		"2026-01-31T23:59:59Z": true, "2026-01-31T23:59:59.000001Z": true, "1970-01-01T00:00:00Z": true,
		"2026-01-31T23:59:59.000000Z": false, "2026-01-31T23:59:59.5Z": false, "2026-01-31T23:59:60Z": false, "2026-01-31T23:59:59+00:00": false,
		"2026-01-31t23:59:59Z": false, "2026-01-31T23:59:59z": false, "2026-02-30T00:00:00Z": false, "0000-01-01T00:00:00Z": false, "": false, "2026-01-31T23:59:59.12345xZ": false,
		"2026-01-31T23:59:59+000:00Z": false,
	} {
		if isOutputTime(s) != want {
			t.Errorf("isOutputTime(%q) is %v", s, !want)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2026-01-31T23:59:59Z", "2026-01-31T23:59:60.123456+05:30", "2024-02-29t00:00:00.1z", "", "0001-01-01T00:00:00-23:59", "0001-01-01T00:00:00+00:60"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseTime(s)
		std, stdErr := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			// The standard library's parser is laxer in the hour and offset (sixty minutes in it,
			// too) and takes a comma; nothing else may be refused.
			if stdErr == nil && len(s) >= 20 && s[19] != ',' && s[12] != ':' && !strings.HasSuffix(s, ":60") {
				if _, offset := std.Zone(); offset > -86400 && offset < 86400 {
					t.Fatalf("ParseTime(%q): %v, but it is %v", s, err, std)
				}
			}
			return
		}
		if stdErr == nil && !got.Equal(std) {
			t.Fatalf("ParseTime(%q) = %v, want %v", s, got, std)
		}
		if y := got.Year(); y < 1 || y > 9999 {
			return
		}
		if out := FormatTime(got); !isOutputTime(out) {
			t.Fatalf("FormatTime(%v) = %q is not of the output form", got, out)
		}
	})
}

func TestTimesOfTheOutputFormAreOrdered(t *testing.T) {
	in := []string{"2025-12-31T23:59:59.999999Z", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000001Z", "2026-01-01T00:00:00.100000Z", "2026-01-01T00:00:01Z"}
	for i, a := range in {
		for j, b := range in {
			if timeLess(a, b) != (i < j) {
				t.Errorf("timeLess(%s, %s) is %v", a, b, !(i < j))
			}
		}
	}
}
