package main

import (
	"fmt"
	"strings"

	"github.com/pamline/pamline/tools/internal/cluster"
)

// A rightEnd is a reason for which a worker ends by itself, as it should: waiting would not mend
// what it met. Its supervisor starts it again.
type rightEnd struct {
	after  string // the kind of fault that may lead to it
	says   string // in its last line
	reason string
}

var rightEnds = []rightEnd{
	{everythingLost, "consumer not found", "what NATS had was lost after the worker had looked whether it is there"},
	{everythingLost, "stream not found", "what NATS had was lost after the worker had looked whether it is there"},
	{diskFull, "no space left on device", "its scratch disk had no room to start on"},
}

// reasonOf gives the reason of an end that is right after faults of the kinds that were planned, ""
// for one that nobody can explain.
func reasonOf(e cluster.End, planned map[string]bool) string {
	if e.Code != 1 || len(e.Last) == 0 {
		return ""
	}
	for _, r := range rightEnds {
		if planned[r.after] && strings.Contains(e.Last[len(e.Last)-1], r.says) {
			return r.reason
		}
	}
	return ""
}

// ended is an end of a worker that nobody had told to, with its reason; "" is none.
type ended struct {
	cluster.End
	reason string
}

// text tells of an end: how, why, and what was said last.
func (e ended) text() string {
	what := "ended by itself"
	if e.Asked {
		what = "was asked to end and did so in an error"
	}
	text := fmt.Sprintf("%s %s in its life %d: %s", e.Name, what, e.Life, e.How)
	if e.reason != "" {
		return text + ", as it should: " + e.reason + "\n        " + e.Last[len(e.Last)-1]
	}
	return text + ", and nobody knows why:\n        " + strings.Join(e.Last, "\n        ")
}

// ends reads how workers have ended that nobody had told to.
func (r *run) ends() (out []ended) {
	planned := map[string]bool{}
	for _, a := range r.acts {
		for _, s := range a.steps {
			planned[s.Kind] = true
		}
	}
	for _, w := range r.cluster.Workers {
		for _, e := range w.Ends() {
			out = append(out, ended{e, reasonOf(e, planned)})
		}
	}
	return out
}
