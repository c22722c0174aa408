package main

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/tools/internal/cluster"
)

func TestAnEndIsExplainedOnlyByWhatHappened(t *testing.T) {
	lost := "ingest: open consumer take-small of PAM_TAKE: nats: API error: code=404 err_code=10014 description=consumer not found"
	for name, c := range map[string]struct {
		end     cluster.End
		planned string
		right   bool
	}{
		"NATS has lost everything":        {cluster.End{Code: 1, Last: []string{"up", lost}}, everythingLost, true},
		"NATS has lost nothing":           {cluster.End{Code: 1, Last: []string{"up", lost}}, diskFull, false},
		"it has said something else last": {cluster.End{Code: 1, Last: []string{lost, "up"}}, everythingLost, false},
		"it has panicked":                 {cluster.End{Code: 2, Last: []string{lost}}, everythingLost, false},
		"it was killed by the system":     {cluster.End{Code: -1, Last: []string{lost}}, everythingLost, false},
		"it has said nothing":             {cluster.End{Code: 1}, everythingLost, false},
	} {
		e := ended{c.end, reasonOf(c.end, map[string]bool{c.planned: true})}
		if (e.reason != "") != c.right {
			t.Errorf("%s: reason %q", name, e.reason)
		}
		if text := e.text(); strings.Contains(text, "nobody knows why") == c.right {
			t.Errorf("%s: %s", name, text)
		}
	}
}
