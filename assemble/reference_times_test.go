package assemble

import (
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// stamp is the time of an observation.
type stamp struct {
	t    string // with six digits; "" for unknown
	hand bool
	asOf bool // of the archive of a record
}

// evidenceTime is when evidence says that something was so.
func evidenceTime(e *normalize.Evidence) stamp {
	at := stampOf(e.ObservedAt, false)
	at.asOf = at.t != "" && e.AsOf
	return at
}

// real is the time itself, whatever it is the time of.
func (a stamp) real() stamp {
	a.asOf = false
	return a
}

// earlier tells whether a counts as the first of two times.
func (a stamp) earlier(b stamp) bool {
	if a.t != "" && b.t != "" && a.asOf != b.asOf {
		return b.asOf
	}
	return a.before(b)
}

func (a stamp) before(b stamp) bool {
	if a.t != "" && b.t != "" && a.asOf != b.asOf {
		return a.asOf
	}
	if a.t != b.t {
		return a.t < b.t
	}
	return a.t != "" && !a.hand && b.hand
}

func stampOf(s string, hand bool) stamp {
	if s == "" || s == epoch {
		return stamp{}
	}
	t, err := pamio.ParseTime(s)
	if err != nil {
		return stamp{}
	}
	return stamp{t: t.UTC().Format("2006-01-02T15:04:05.000000Z"), hand: hand}
}

func (a stamp) String() string { return strings.Replace(a.t, ".000000Z", "Z", 1) }

func (a stamp) compare(b stamp) int {
	switch {
	case a.before(b):
		return -1
	case b.before(a):
		return 1
	}
	return 0
}

func (p *plainResolver) sawTime(t stamp) {
	t.asOf = false
	if p.newest.before(t) {
		p.newest = t
	}
}
