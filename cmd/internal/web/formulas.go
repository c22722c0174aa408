package web

import (
	"html/template"
	"strconv"
	"strings"
	"unicode"

	"github.com/pamline/pamline/cmd/internal/mathml"
)

// Characters for private use, which stand for something while Markdown is read. A text that has one
// of them by itself loses it.
const (
	formulaStart, formulaEnd = '\ue010', '\ue011'
	markStart, markEnd       = '\ue012', '\ue013'
)

// formula is a formula of a text, with the delimiters around it.
type formula struct {
	source, tex string
	display     bool
}

// delimiters are what formulas stand between.
var delimiters = []struct {
	opening, closing string
	display          bool
}{{"$$", "$$", true}, {`\[`, `\]`, true}, {`\(`, `\)`, false}, {"$", "$", false}}

// maxFormula is how long a formula may be.
const maxFormula = 8 << 10

// cutFormulas puts a sign in the place of each formula of a Markdown text, so that nothing in it is
// taken for Markdown. Formulas in code are code.
func cutFormulas(text string) (rest string, all []formula) {
	if !strings.ContainsAny(text, `$\`) {
		return text, nil
	}
	var b strings.Builder
	lineStart := true
	for i := 0; i < len(text); {
		if n := codeLength(text, i, lineStart); n > 0 {
			b.WriteString(text[i : i+n])
			lineStart = false
			i += n
			continue
		}
		if f, n := formulaAt(text, i); n > 0 {
			b.WriteString(string(formulaStart) + strconv.Itoa(len(all)) + string(formulaEnd))
			all = append(all, f)
			lineStart = false
			i += n
			continue
		}
		n := 1
		if text[i] == '\\' && i+1 < len(text) && text[i+1] < 0x80 {
			n = 2
		}
		b.WriteString(text[i : i+n])
		lineStart = text[i] == '\n' || lineStart && (text[i] == ' ' || text[i] == '>')
		i += n
	}
	return b.String(), all
}

// codeLength is how long the code is that begins at a place, 0 if none does.
func codeLength(text string, i int, lineStart bool) int {
	c := text[i]
	if c != '`' && c != '~' {
		return 0
	}
	n := 0
	for i+n < len(text) && text[i+n] == c {
		n++
	}
	marks := text[i : i+n]
	if lineStart && n >= 3 { // to the line that closes it
		for at := i + n; ; {
			next := strings.IndexByte(text[at:], '\n')
			if next < 0 {
				return len(text) - i
			}
			at += next + 1
			line := strings.TrimLeft(text[at:], " >")
			if strings.HasPrefix(line, marks) {
				end := strings.IndexByte(text[at:], '\n')
				if end < 0 {
					return len(text) - i
				}
				return at + end - i
			}
		}
	}
	if c == '~' {
		return n
	}
	for at := i + n; ; { // to as many marks
		next := strings.IndexByte(text[at:], '`')
		if next < 0 {
			return n
		}
		at += next
		run := 0
		for at+run < len(text) && text[at+run] == '`' {
			run++
		}
		if run == n {
			return at + run - i
		}
		at += run
	}
}

// formulaAt is the formula that begins at a place, and how long it is with its delimiters.
func formulaAt(text string, i int) (f formula, length int) {
	if text[i] != '$' && text[i] != '\\' {
		return f, 0
	}
	for _, d := range delimiters {
		if !strings.HasPrefix(text[i:], d.opening) {
			continue
		}
		body := text[i+len(d.opening):]
		end := strings.Index(body[:min(len(body), maxFormula)], d.closing)
		if end <= 0 {
			return f, 0
		}
		tex := body[:end]
		if strings.Contains(tex, "\n\n") || d.opening == "$" && !isFormula(tex, body[end+1:]) {
			return f, 0
		}
		n := len(d.opening) + end + len(d.closing)
		return formula{text[i : i+n], strings.TrimSpace(tex), d.display}, n
	}
	return f, 0
}

// isFormula tells whether what stands between two dollar signs is a formula, and not text between
// two sums of money.
func isFormula(tex, after string) bool {
	first, last := rune(tex[0]), rune(tex[len(tex)-1])
	switch {
	case unicode.IsSpace(first), unicode.IsSpace(last), after != "" && after[0] >= '0' && after[0] <= '9', strings.Contains(tex, "\n"):
		return false
	}
	return strings.ContainsAny(tex, `\^_={}+*/<>`) || len(tex) <= 3 && !strings.ContainsAny(tex, " .,")
}

// putFormulas puts formulas into HTML in the place of their signs: as MathML or, where that does
// not go, as they were written.
func putFormulas(html string, all []formula) string {
	if len(all) == 0 {
		return html
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(html, string(formulaStart))
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		number, after, ok := strings.Cut(rest, string(formulaEnd))
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n < 0 || n >= len(all) {
			html = rest
			continue
		}
		b.WriteString(all[n].html())
		html = after
	}
}

func (f formula) html() string {
	tex := strings.Map(func(r rune) rune {
		if r == markStart || r == markEnd {
			return -1
		}
		return r
	}, f.tex)
	if text, ok := mathml.Convert(tex, f.display); ok {
		if f.display {
			return `<span class="formula" tabindex="0" role="group" aria-label="Formula">` + text + "</span>"
		}
		return text
	}
	return "<code>" + template.HTMLEscapeString(f.source) + "</code>"
}

// withoutSigns takes the characters from a text that stand for something while it is read.
func withoutSigns(text string) string {
	if !strings.ContainsAny(text, "\ue010\ue011\ue012\ue013") {
		return text
	}
	return strings.NewReplacer("\ue010", "", "\ue011", "", "\ue012", "", "\ue013", "").Replace(text)
}
