package htmlmd

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"
)

// inline collects the open line: white space is collapsed, marks of emphasis stand against the
// text.
type inline struct {
	buf     bytes.Buffer
	last    rune // the last character of buf, 0 at its start
	space   bool // white space is due before the next text
	newline bool // a line break is
	marks   []mark
	link    *link
	codes   *strings.Builder // the text of an open code element
	pre     *preformatted
	cell    bool // the line is a cell of a table
}

// mark is an open emphasis. It is written before its first text, so that an empty one leaves
// nothing behind.
type mark struct {
	atom    atom.Atom
	text    string
	written bool
	times   int // an emphasis inside the same emphasis counts only
}

type link struct {
	href    string
	written bool
}

var marks = map[atom.Atom]mark{
	atom.Strong: {atom: atom.Strong, text: "**"}, atom.B: {atom: atom.Strong, text: "**"},
	atom.Em: {atom: atom.Em, text: "*"}, atom.I: {atom: atom.Em, text: "*"},
	atom.Del: {atom: atom.Del, text: "~~"}, atom.S: {atom: atom.Del, text: "~~"}, atom.Strike: {atom: atom.Del, text: "~~"},
}

// start opens an inline element and tells whether it is one.
func (in *inline) start(a atom.Atom, attr map[string]string) bool {
	if m, ok := marks[a]; ok {
		if in.codes != nil {
			return true
		}
		for i := range in.marks {
			if in.marks[i].atom == m.atom {
				in.marks[i].times++
				return true
			}
		}
		m.times = 1
		in.marks = append(in.marks, m)
		return true
	}
	switch a {
	case atom.Code, atom.Kbd, atom.Samp, atom.Tt:
		if in.codes == nil {
			in.codes = &strings.Builder{}
		}
	case atom.A:
		in.closeLink()
		if href := target(attr["href"]); href != "" && in.codes == nil {
			in.link = &link{href: href}
		}
	case atom.Img:
		if in.codes == nil {
			in.image(attr)
		}
	default:
		return false
	}
	return true
}

// end closes an inline element and tells whether it is one.
func (in *inline) end(a atom.Atom) bool {
	if m, ok := marks[a]; ok {
		for i := len(in.marks) - 1; i >= 0; i-- {
			if in.marks[i].atom != m.atom {
				continue
			}
			if in.marks[i].times--; in.marks[i].times > 0 {
				return true
			}
			in.closeMarks(i)
			in.marks = append(in.marks[:i], in.marks[i+1:]...)
		}
		return true
	}
	switch a {
	case atom.Code, atom.Kbd, atom.Samp, atom.Tt:
		in.closeCode()
	case atom.A:
		in.closeLink()
	case atom.Img:
	default:
		return false
	}
	return true
}

// closeMarks writes the ends of the marks from the i-th on that were written, innermost first.
// Those that go on start again before their next text.
func (in *inline) closeMarks(i int) {
	for k := len(in.marks) - 1; k >= i; k-- {
		if in.marks[k].written {
			in.write(in.marks[k].text)
			in.marks[k].written = false
		}
	}
}

// text adds text as a page shows it: runs of white space are one space.
func (in *inline) text(s string) {
	if in.pre != nil {
		in.pre.text.WriteString(s)
		return
	}
	if in.codes != nil {
		in.codes.WriteString(s)
		return
	}
	for i := 0; i < len(s); {
		if classes[s[i]] == white {
			in.space = true
			i++
			continue
		}
		end := i
		for end < len(s) && classes[s[end]] != white {
			end++
		}
		in.word(s[i:end])
		i = end
		if n := plainWords(s[end:]); n > 0 && !in.atLineStart() {
			in.write(s[end : end+n])
			i += n
		}
	}
}

// plainWords is the length of the words at the start of s, each behind one space, that are written
// as they are in the middle of a line.
func plainWords(s string) int {
	end := 0
	for end+1 < len(s) && s[end] == ' ' {
		i := end + 1
		for i < len(s) && classes[s[i]] == plain {
			i++
		}
		if i == end+1 || i < len(s) && classes[s[i]] != white {
			break
		}
		end = i
	}
	return end
}

// word adds text without white space, with what is taken for markup escaped.
func (in *inline) word(s string) {
	in.open()
	first := in.atLineStart()
	if !suspicious(s, first) {
		in.write(s)
		return
	}
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		if i+utf8.RuneLen(r) >= len(s) {
			next = 0
		}
		if in.taken(r, next, i == 0 && first, s) {
			in.buf.WriteByte('\\')
		}
		in.buf.WriteRune(r)
		in.last = r
	}
}

// open writes the white space, marks and link that are due before text.
func (in *inline) open() {
	switch {
	case in.newline && in.buf.Len() > 0:
		in.closeMarks(0) // a mark that spans a line break is hard to read
		in.buf.WriteString("  \n")
		in.last = '\n'
	case in.space && in.last != 0 && in.last != '\n':
		in.buf.WriteByte(' ')
		in.last = ' '
	}
	in.space, in.newline = false, false
	if in.link != nil && !in.link.written {
		in.write("[")
		in.link.written = true
	}
	for i := range in.marks {
		if !in.marks[i].written {
			in.write(in.marks[i].text)
			in.marks[i].written = true
		}
	}
}

func (in *inline) write(s string) {
	in.buf.WriteString(s)
	in.last, _ = utf8.DecodeLastRuneInString(s)
}

func (in *inline) lineBreak() {
	if in.codes != nil {
		in.codes.WriteByte(' ')
		return
	}
	in.newline = true
}

func (in *inline) closeLink() {
	l := in.link
	in.link = nil
	if l != nil && l.written {
		in.closeMarks(0)
		in.write("](" + l.href + ")")
	}
}

func (in *inline) image(attr map[string]string) {
	src := target(attr["src"])
	alt := strings.Join(strings.Fields(attr["alt"]), " ")
	if src == "" && alt == "" {
		return
	}
	in.open()
	in.write("![" + strings.NewReplacer("[", `\[`, "]", `\]`).Replace(alt) + "](" + src + ")")
}

// closeCode writes the open code element behind as many backticks as it takes.
func (in *inline) closeCode() {
	if in.codes == nil {
		return
	}
	text := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, in.codes.String())
	in.codes = nil
	in.code(text)
}

func (in *inline) code(text string) {
	if text == "" {
		return
	}
	in.open()
	fence := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || text == " " {
		text = " " + text + " "
	}
	in.write(fence + text + fence)
}

// take ends the line and gives it.
func (in *inline) take() string {
	in.closeCode()
	if in.link != nil && in.link.written {
		in.closeLink() // a link around several blocks is one of the first, so that its target is written once
	}
	in.closeMarks(0)
	text := string(bytes.TrimFunc(in.buf.Bytes(), func(r rune) bool { return r < utf8.RuneSelf && unicode.IsSpace(r) }))
	in.buf.Reset()
	in.last, in.space, in.newline = 0, false, false
	return text
}

// target is a link's or image's target as Markdown has it, "" for none and for code.
func target(href string) string {
	href = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return -1
		}
		return r
	}, strings.TrimSpace(href))
	scheme := strings.ToLower(href[:min(len(href), 16)])
	if strings.HasPrefix(scheme, "javascript:") || strings.HasPrefix(scheme, "vbscript:") {
		return ""
	}
	if strings.ContainsAny(href, " ()<>") {
		return "<" + strings.NewReplacer("<", "%3C", ">", "%3E").Replace(href) + ">"
	}
	return href
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] == c {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}
