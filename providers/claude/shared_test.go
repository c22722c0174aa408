package claude_test

import (
	"testing"

	"github.com/pamline/pamline/providers/importertest"
)

func TestSharedFixtures(t *testing.T) {
	for _, c := range []struct {
		dir                              string
		conversations, messages, records int
	}{
		{"memories", 4, 19, 1},
		{"projects-2026", 3, 4, 7},
		{"shaped", 2, 9, 0},
	} {
		t.Run(c.dir, func(t *testing.T) {
			r := read(t, importertest.Load(t, importertest.Shared(t, "fixtures", "claude", c.dir))...)
			format.Check(t, r)
			messages := 0
			for _, s := range r.Conversations() {
				messages += len(s.Doc.Messages)
			}
			if len(r.Conversations()) != c.conversations || messages != c.messages || len(r.Records()) != c.records || len(r.Quarantined()) != 0 {
				t.Errorf("%d conversations, %d messages, %d records, quarantined %v; want %d, %d, %d and none",
					len(r.Conversations()), messages, len(r.Records()), r.Quarantined(), c.conversations, c.messages, c.records)
			}
		})
	}
}
