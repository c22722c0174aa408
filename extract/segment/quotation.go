package segment

import "strings"

// minQuotation is how many words a quotation has to have; shorter ones are titles and terms. If it
// says "I", minSpeech are enough.
const (
	minQuotation = 8
	minSpeech    = 4
)

// quotePairs are marks that open and close a quotation; longer ones stand first.
var quotePairs = [...]struct{ open, shut string }{
	{`"""`, `"""`}, {"'''", "'''"}, {`"`, `"`}, {"“", "”"}, {"„", "“"}, {"„", "”"}, {"«", "»"}, {"»", "«"}, {"「", "」"}, {"『", "』"}, {"‘", "’"}, {"”", "”"}, {"“", "\""},
}

// quotes looks for quotations up to one end of a text, going forward. It remembers which marks do
// not come any more, so that a text full of marks that never close is still read once.
type quotes struct {
	text string // up to that end
	gone [len(quotePairs)]bool
}

// next finds a quotation that opens between two places; it may close behind them. A mark behind a
// letter or a digit opens nothing: it stands for inches, or closes.
func (q *quotes) next(from, limit int) (start, end int, ok bool) {
	for at := from; at < limit; at++ {
		c := q.text[at]
		if c != '"' && c != '\'' && c != 0xe2 && c != 0xc2 && c != 0xe3 {
			continue
		}
		if at > 0 && byteClass[q.text[at-1]]&(isLetter|isDigit) != 0 {
			continue
		}
		for i, p := range quotePairs {
			if q.gone[i] || !strings.HasPrefix(q.text[at:], p.open) {
				continue
			}
			body := at + len(p.open)
			n := strings.Index(q.text[body:], p.shut)
			if n >= 0 {
				return at, body + n + len(p.shut), true
			}
			q.gone[i] = true
		}
	}
	return 0, 0, false
}

// quotations takes out what others said: quote marks around more than a few words of a paragraph. A
// mark that opens a line or stands behind a colon may close in a later paragraph, at the end of a
// line.
func (d *draft) quotations() {
	whole := &quotes{text: d.text}
	for i := 0; i < len(d.lines); {
		if !d.talk(i) {
			i++
			continue
		}
		if start, end, ok := d.longQuotation(whole, i); ok {
			for ; i < len(d.lines) && d.lines[i].start < end; i++ {
				l := &d.lines[i]
				d.cut(max(start, l.start), min(end, l.next), Quote)
			}
			continue
		}
		to := i + 1
		for to < len(d.lines) && d.talk(to) && d.opensQuotation(to) < 0 {
			to++
		}
		if d.marked(i, to) {
			d.quotationsIn(d.lines[i].start, d.lines[to-1].end)
		}
		i = to
	}
}

// marked tells whether there may be a quote mark in some lines.
func (d *draft) marked(from, to int) bool {
	for i := from; i < to; i++ {
		if s := &d.lines[i].shape; s.quotes+s.foreign > 0 {
			return true
		}
	}
	return false
}

// opensQuotation finds a quote mark that begins a line or stands behind its first colon; -1 when
// there is none.
func (d *draft) opensQuotation(i int) int {
	l := &d.lines[i]
	at := l.start + l.body()
	if markAt(d.text[at:l.end]) {
		return at
	}
	n := strings.IndexByte(d.text[at:l.end], ':')
	if n < 0 {
		return -1
	}
	for at += n + 1; at < l.end && byteClass[d.text[at]]&isBlank != 0; at++ {
	}
	if markAt(d.text[at:l.end]) {
		return at
	}
	return -1
}

// markAt tells whether a text begins with a quote mark.
func markAt(s string) bool {
	if s == "" || s[0] != '"' && s[0] != '\'' && s[0] < 0x80 {
		return false
	}
	for _, p := range quotePairs {
		if strings.HasPrefix(s, p.open) {
			return true
		}
	}
	return false
}

// longQuotation finds a quotation that begins at such a mark and ends with a later line.
func (d *draft) longQuotation(q *quotes, i int) (start, end int, ok bool) {
	at := d.opensQuotation(i)
	if at < 0 {
		return 0, 0, false
	}
	start, end, ok = q.next(at, at+1)
	if !ok || start != at || end <= d.lines[i].next {
		return 0, 0, false
	}
	rest := d.text[end:]
	return start, end, rest == "" || rest[0] == '\n' || strings.HasPrefix(rest, "\r\n")
}

func (d *draft) quotationsIn(at, limit int) {
	q := &quotes{text: d.text[:limit]}
	for at < limit {
		start, end, ok := q.next(at, limit)
		if !ok {
			return
		}
		if said := d.text[start:end]; d.isSpeech(said) {
			d.cut(start, end, Quote)
		}
		at = end
	}
}

// isSpeech tells whether a quotation is more than a title or a term.
func (d *draft) isSpeech(said string) bool {
	n := words(said)
	return n >= minQuotation || n >= minSpeech && hasFirstPerson(said)
}

// words counts words by the blanks between them; of scripts without blanks, three characters count
// as a word.
func words(s string) int {
	n, wide, in := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ' || c == '\n' || c == '\t':
			in = false
		case c >= 0xe3 && c <= 0xed:
			wide++
		case !in:
			in = true
			n++
		}
	}
	return n + wide/3
}
