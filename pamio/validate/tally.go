package validate

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// tally counts checks and findings and hands findings over.
type tally struct {
	o      Options
	made   [checks]int64
	found  [checks]int64
	report Report
	// held keeps the findings of a batch until its turn comes, the first quota of each check; nil
	// where they are handed over at once.
	held  *[]heldFinding
	quota [checks]int64
}

type heldFinding struct {
	check check
	Finding
}

// wrong counts one making of a check and gives its outcome back, so that it reads: if
// t.wrong(contentHash, got != want).
func (t *tally) wrong(c check, bad bool) bool {
	t.made[c]++
	return bad
}

// place is where something stands.
type place struct {
	file    string
	pointer string
	offset  int64
}

// find reports a finding of a check that wrong counted.
func (t *tally) find(c check, at place, format string, args ...any) {
	t.count(c, 1)
	if t.o.OnFinding == nil || t.found[c] > t.most(c) {
		return
	}
	f := Finding{ID: catalog[c].ID, Severity: c.severity(t.o.Strict), File: at.file, Pointer: at.pointer,
		Offset: at.offset, Message: fmt.Sprintf(format, args...)}
	if t.held != nil {
		*t.held = append(*t.held, heldFinding{c, f})
		return
	}
	t.o.OnFinding(f)
}

// most is how many findings of a check are kept.
func (t *tally) most(c check) int64 {
	if t.held != nil {
		return t.quota[c]
	}
	return int64(t.o.MaxFindings)
}

// begin readies the tally of a batch of a document, whose findings so far leave it the quotas.
func (t *tally) begin(of *tally, held *[]heldFinding) {
	*t = tally{o: of.o, held: held}
	for c := range t.quota {
		t.quota[c] = max(0, int64(of.o.MaxFindings)-of.found[c])
	}
}

// add counts what a batch counted, and hands its findings over.
func (t *tally) add(b *tally) {
	for c, n := range b.made {
		t.made[c] += n
	}
	for _, f := range *b.held {
		b.found[f.check]--
		t.count(f.check, 1)
		if t.found[f.check] <= t.most(f.check) {
			t.o.OnFinding(f.Finding)
		}
	}
	for c, n := range b.found {
		t.count(check(c), n)
	}
	t.report.Seen.add(b.report.Seen)
}

func (t *tally) count(c check, n int64) {
	t.found[c] += n
	switch c.severity(t.o.Strict) {
	case Error:
		t.report.Errors += n
	case Warning:
		t.report.Warnings += n
	case Info:
		t.report.Infos += n
	}
}

func (t *tally) finish() Report {
	r := t.report
	r.Counts = map[string]int64{}
	for c := range checks {
		// A finding is an evaluation, too, where only failure shows that something was looked at.
		made := max(t.made[c], t.found[c])
		if made > 0 {
			r.Checks++
			r.Evaluations += made
		}
		if t.found[c] == 0 {
			continue
		}
		r.Counts[catalog[c].ID] = t.found[c]
		if over := t.found[c] - int64(max(t.o.MaxFindings, 0)); over > 0 {
			if r.Suppressed == nil {
				r.Suppressed = map[string]int64{}
			}
			r.Suppressed[catalog[c].ID] = over
		}
	}
	return r
}

// quote shows an id or another short token in a message, cut to a length that a line holds.
func quote[T string | []byte](s T) string {
	const most = 80
	v := strings.ToValidUTF8(string(s), "\uFFFD")
	if len(v) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(v[cut]) {
			cut--
		}
		v = v[:cut] + "…"
	}
	return fmt.Sprintf("%q", v)
}

// token shows a value that should have been a keyword, or nothing of it when it looks like anything
// else: it could be somebody's text.
func token(s string) string {
	if len(s) == 0 || len(s) > 40 {
		return "the value"
	}
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-', c == '.', c == ':', c == '/':
		default:
			return "the value"
		}
	}
	return fmt.Sprintf("%q", s)
}
