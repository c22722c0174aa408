package segment

import (
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/extract/lexicon"
)

// shortTalk is the length in bytes under which a message that begins "you are a" is a remark and no
// prompt.
const shortTalk = 160

// roleplay finds prompts that hand out roles, cards of characters, and speech of characters with
// their deeds between stars. What stands before the words that hand out a role stays.
func (d *draft) roleplay() {
	d.voices()
	d.exercises()
	if strings.Contains(d.text, "{{user}}") || strings.Contains(d.text, "{{char}}") {
		d.play = true
		d.paint(0, len(d.lines), Roleplay)
		return
	}
	for i := range d.lines {
		for _, h := range d.hitsOf(i) {
			if h.class&role != 0 && d.denied(i, h) {
				continue
			}
			if h.class&(role|roleAny) != 0 {
				d.play = !d.near(i, h, profession) || d.near(i, h, game)
			}
			switch {
			case h.class&roleAny != 0:
				d.paint(0, len(d.lines), Roleplay)
				return
			case h.class&role != 0:
				d.paintFrom(i, d.startOf(i, h), Roleplay)
				return
			}
		}
	}
	if i := d.after(0); i < len(d.lines) {
		for _, h := range d.hitsOf(i) {
			if h.opens && h.class&roleWeak != 0 && (len(d.text) >= shortTalk || d.hitOf(cast) || d.handsOut(i, h)) && !d.denied(i, h) {
				d.play = !d.near(i, h, profession) || d.near(i, h, game)
				d.paint(i, len(d.lines), Roleplay)
				return
			}
		}
	}
	d.sheets()
}

// definite are the articles behind which somebody hands out one part, and takes the other: "you are
// the clerk and I am the customer". Who is "an expert" or "a lifesaver" has none.
var definite = map[string]bool{"the": true, "der": true, "die": true, "le": true, "la": true, "el": true, "il": true, "o": true, "a": true, "de": true}

// handsOut tells whether a role is one of two, of which the person takes the other.
func (d *draft) handsOut(i int, h hit) bool {
	said := strings.ToLower(d.text[h.start:h.end])
	article := said[strings.LastIndexByte(said, ' ')+1:]
	if article == "a" && strings.HasPrefix(said, "you") {
		return false
	}
	return (definite[article] || said == "tu sei" || strings.HasPrefix(said, "t\u00fa eres")) && d.near(i, h, both)
}

// denials are words right before a role that forbid it; where they answer ("no, act as …"), a comma
// stands between.
var denials = map[string]bool{"no": true, "not": true, "don't": true, "dont": true, "never": true, "nicht": true, "nie": true, "non": true, "ne": true,
	"nao": true, "nunca": true, "jamais": true, "mai": true}

// denied tells whether the word before a phrase denies it: "no actúa como sustantivo".
func (d *draft) denied(i int, h hit) bool {
	var buf [lexicon.MaxWord + utf8.UTFMax]byte
	word := tokenizer.AppendFolded(buf[:0], strings.TrimRight(d.text[d.wordBefore(i, h.start):h.start], " \t"))
	return denials[string(word)]
}

// startOf is where a phrase begins with the fillers before it: the line, if there is nothing else.
func (d *draft) startOf(i int, h hit) int {
	if h.opens {
		return d.lines[i].start
	}
	return h.start
}

// paintFrom takes the rest of a message out of the prose, from a place on line i.
func (d *draft) paintFrom(i, at int, kind Kind) {
	d.paintBetween(i, at, len(d.lines), kind)
}

// paintBetween is paintFrom up to a line.
func (d *draft) paintBetween(i, at, to int, kind Kind) {
	l := &d.lines[i]
	if strings.TrimSpace(d.text[l.start:at]) == "" {
		d.paint(i, to, kind)
		return
	}
	d.cut(at, l.next, kind)
	d.paint(i+1, to, kind)
}

// sheets finds cards of characters: three fields or more of those that people do not fill in about
// themselves.
func (d *draft) sheets() {
	start, count := -1, 0
	for i := range d.lines {
		if !d.field(i, sheet) {
			continue
		}
		if count++; count == 1 {
			start = i
		}
	}
	if count < 3 {
		return
	}
	from, _ := d.paragraph(start)
	d.play = true
	d.paint(from, len(d.lines), Roleplay)
}

// field tells whether a line begins with a phrase of a class and a colon.
func (d *draft) field(i int, c class) bool {
	for _, h := range d.hitsOf(i) {
		if !h.opens || h.class&c == 0 {
			continue
		}
		rest := strings.TrimLeft(d.text[h.end:d.lines[i].end], " *_")
		return rest != "" && rest[0] == ':'
	}
	return false
}

// actions finds deeds between stars ("*sighs and looks away*"). A message that begins with one is a
// character's as a whole.
func (d *draft) actions() {
	for i := range d.lines {
		l := &d.lines[i]
		if l.kind != Prose || l.shape.stars < 2 {
			continue
		}
		for at := l.start; at < l.end; {
			n := strings.IndexByte(d.text[at:l.end], '*')
			if n < 0 {
				break
			}
			start := at + n
			end, ok := deed(d.text[:l.end], start)
			if !ok {
				at = end
				continue
			}
			if i == d.after(0) && start == l.start+l.body() {
				d.play = true
				d.paint(0, len(d.lines), Roleplay)
				return
			}
			d.cut(start, end, Roleplay)
			at = end
		}
	}
}

// deed reads a deed from its opening star. Markdown's **bold**, bullets and single words are none.
// end is where to look on.
func deed(text string, start int) (end int, ok bool) {
	at := start + 1
	if at < len(text) && text[at] == '*' {
		for at < len(text) && text[at] == '*' {
			at++
		}
		return at, false
	}
	if at >= len(text) || text[at] == ' ' {
		return at, false
	}
	n := strings.IndexByte(text[at:], '*')
	if n < 0 {
		return len(text), false
	}
	end = at + n
	inside := text[at:end]
	if end+1 < len(text) && text[end+1] == '*' || text[end-1] == ' ' {
		return end, false
	}
	return end + 1, strings.Contains(strings.TrimSpace(inside), " ") && byteClass[inside[0]]&isUpper == 0
}
