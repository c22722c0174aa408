package copilot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Case 46 of the reference SDK's failures: times that were not ISO became the time of the import,
// and 02/03 was always February.
func TestTimesOfEveryForm(t *testing.T) {
	table := func(times ...string) string {
		rows := []string{"Conversation,Time,Author,Message"}
		for i, at := range times {
			rows = append(rows, fmt.Sprintf(`T%d,"%s",Human,hello`, i, at))
		}
		return crlf(rows...)
	}
	for _, c := range []struct {
		name  string
		times []string
		want  []string
		odd   int // ambiguous dates that were guessed
	}{
		{"of the United States", []string{"2/17/2026 3:08:20 PM", "02/03/2026 12:00:00 AM", "02/03/2026"}, []string{"2026-02-17T15:08:20Z", "2026-02-03T00:00:00Z", "2026-02-03T00:00:00Z"}, 0},
		{"of Europe", []string{"17/02/2026 10:00", "02/03/2026 10:00", "02/03/2026"}, []string{"2026-02-17T10:00:00Z", "2026-03-02T10:00:00Z", "2026-03-02T00:00:00Z"}, 0},
		{"of nobody knows where", []string{"02/03/2026 10:00"}, []string{"2026-02-03T10:00:00Z"}, 1},
		{"of both", []string{"17/02/2026 10:00", "2/17/2026 10:00", "02/03/2026 10:00"}, []string{"2026-02-17T10:00:00Z", "2026-02-17T10:00:00Z", "2026-02-03T10:00:00Z"}, 1},
		{"with points", []string{"02.03.2026 10:00:01", "2.3.26"}, []string{"2026-03-02T10:00:01Z", "2026-03-02T00:00:00Z"}, 0},
		{"with a year first", []string{"2026/03/02 10:00", "2026-03-02 10:00:01.5"}, []string{"2026-03-02T10:00:00Z", "2026-03-02T10:00:01.500000Z"}, 0},
		{"with zones", []string{"2026-03-02T10:00:00+02:00", "2/17/2026 3:08:20 PM -01:30", "2026-02-17T14:36:11Z", "2/17/2026 3:08 PM UTC"}, []string{"2026-03-02T08:00:00Z", "2026-02-17T16:38:20Z", "2026-02-17T14:36:11Z", "2026-02-17T15:08:00Z"}, 0},
		{"with narrow spaces", []string{"2/17/2026, 3:08:20\u202fp.m."}, []string{"2026-02-17T15:08:20Z"}, 0},
		{"that are none", []string{"yesterday", "31/02/2026 10:00", "13/13/2026", "1/13/2026 25:00", "2/17/2026 13:00 PM", ""}, slices.Repeat([]string{"1970-01-01T00:00:00Z"}, 6), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := read(t, table(c.times...))
			guessed := 0
			for i, s := range r.Conversations() {
				if got := s.Doc.Messages[0].CreatedAt; got != c.want[i] {
					t.Errorf("%q is %s, want %s", c.times[i], got, c.want[i])
				}
				guessed += s.Anomalies["ambiguous_date"]
				if zoned := strings.Contains(string(s.Doc.RawMetadata), `"time_zone_assumed":"UTC"`); zoned == (c.name == "with zones" || c.name == "that are none") {
					t.Errorf("%q: the zone is said to be assumed: %v", c.times[i], zoned)
				}
			}
			if len(r.Conversations()) != len(c.want) || guessed != c.odd {
				t.Errorf("%d conversations, %d guesses", len(r.Conversations()), guessed)
			}
		})
	}
}
