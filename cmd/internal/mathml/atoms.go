package mathml

import (
	"cmp"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// atom reads one token, with what it is applied to.
func (p *parser) atom() (node, error) {
	if p.depth++; p.depth > 2*maxDepth {
		return node{}, errUnknown
	}
	defer func() { p.depth-- }()
	switch c := p.rest[0]; {
	case c == '{':
		text, err := p.group()
		return node{xml: text}, err
	case c == '\\':
		return p.command()
	case c == '}' || c == '&' || c == '$' || c == '#' || c == '%':
		return node{}, errUnknown
	case c >= '0' && c <= '9':
		end := strings.IndexFunc(p.rest, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if end < 0 {
			end = len(p.rest)
		}
		number := strings.TrimRight(p.rest[:end], ".")
		p.rest = p.rest[len(number):]
		return node{xml: element("mn", p.letters(number))}, nil
	}
	r, size := utf8.DecodeRuneInString(p.rest)
	p.rest = p.rest[size:]
	switch {
	case r == utf8.RuneError && size == 1 || unicode.IsControl(r):
		return node{}, errUnknown
	case unicode.IsLetter(r):
		return node{xml: element("mi", p.letters(string(r)))}, nil
	case r == '-':
		return operatorNode("−"), nil
	case r == '*':
		return operatorNode("∗"), nil
	}
	return operatorNode(string(r)), nil
}

// name reads the name of a command, without its backslash.
func (p *parser) name() (name string, ok bool) {
	p.rest = p.rest[1:]
	if p.rest == "" {
		return "", false
	}
	end := 0
	for end < len(p.rest) && isLetter(p.rest[end]) {
		end++
	}
	if end == 0 {
		_, end = utf8.DecodeRuneInString(p.rest)
	}
	name, p.rest = p.rest[:end], p.rest[end:]
	return name, true
}

// command reads a command with what it is applied to.
func (p *parser) command() (node, error) {
	name, ok := p.name()
	if !ok {
		return node{}, errUnknown
	}
	if text, ok := operators[name]; ok {
		return operatorNode(text), nil
	}
	if text, ok := identifiers[name]; ok {
		return node{xml: element("mi", text)}, nil
	}
	if text, ok := big[name]; ok {
		return node{xml: element("mo", text), limits: !strings.Contains(name, "int")}, nil
	}
	if limits, ok := functions[name]; ok {
		return node{xml: element("mi", cmp.Or(functionNames[name], name)), limits: limits}, nil
	}
	if width, ok := spaces[name]; ok {
		return node{xml: `<mspace width="` + width + `"></mspace>`}, nil
	}
	if alphabet, ok := alphabets[name]; ok {
		return p.inAlphabet(alphabet)
	}
	if mark, ok := accents[name]; ok {
		text, err := p.argument()
		if mark.below {
			return node{xml: element("munder", text+element("mo", mark.text)), limits: name == "underbrace"}, err
		}
		return node{xml: `<mover accent="true">` + text + `<mo stretchy="` + mark.stretchy + `">` + mark.text + "</mo></mover>", limits: name == "overbrace"}, err
	}
	if ignored[name] {
		return node{}, nil
	}
	if run, ok := structures[name]; ok {
		return run(p)
	}
	return node{}, errUnknown
}

// inAlphabet reads an argument whose letters are of an alphabet.
func (p *parser) inAlphabet(alphabet string) (node, error) {
	if alphabet == "text" {
		text, err := p.raw()
		if strings.ContainsAny(text, `\$`) {
			text = unescapeText(text)
		}
		return node{xml: element("mtext", html.EscapeString(keepSpaces(text)))}, err
	}
	before := p.alphabet
	p.alphabet = alphabet
	text, err := p.argument()
	p.alphabet = before
	return node{xml: text}, err
}

// unescapeText takes the backslashes from what TeX needs them for in texts.
func unescapeText(text string) string {
	return strings.NewReplacer(`\%`, "%", `\$`, "$", `\&`, "&", `\_`, "_", `\#`, "#", `\{`, "{", `\}`, "}", `\ `, " ").Replace(text)
}

// keepSpaces keeps the spaces at the ends of a text, which browsers drop.
func keepSpaces(text string) string {
	if strings.HasPrefix(text, " ") {
		text = "\u00a0" + strings.TrimLeft(text, " ")
	}
	if strings.HasSuffix(text, " ") {
		text = strings.TrimRight(text, " ") + "\u00a0"
	}
	return text
}

// letters writes letters and digits in the alphabet that is in force.
func (p *parser) letters(text string) string {
	if p.alphabet == "" || p.alphabet == "upright" {
		return html.EscapeString(text)
	}
	var b strings.Builder
	for _, r := range text {
		b.WriteRune(inAlphabet(p.alphabet, r))
	}
	return html.EscapeString(b.String())
}

// bases are where the capital and small letters and the digits of an alphabet begin; 0 for none.
var bases = map[string][3]rune{
	"bold": {0x1d400, 0x1d41a, 0x1d7ce}, "double": {0x1d538, 0x1d552, 0x1d7d8}, "script": {0x1d49c, 0x1d4b6, 0}, "fraktur": {0x1d504, 0x1d51e, 0},
	"sans": {0x1d5a0, 0x1d5ba, 0x1d7e2}, "mono": {0x1d670, 0x1d68a, 0x1d7f6}, "italic": {0x1d434, 0x1d44e, 0},
}

// holes are letters that Unicode has elsewhere.
var holes = map[string]map[rune]rune{
	"double":  {'C': 'ℂ', 'H': 'ℍ', 'N': 'ℕ', 'P': 'ℙ', 'Q': 'ℚ', 'R': 'ℝ', 'Z': 'ℤ'},
	"script":  {'B': 'ℬ', 'E': 'ℰ', 'F': 'ℱ', 'H': 'ℋ', 'I': 'ℐ', 'L': 'ℒ', 'M': 'ℳ', 'R': 'ℛ', 'e': 'ℯ', 'g': 'ℊ', 'o': 'ℴ'},
	"fraktur": {'C': 'ℭ', 'H': 'ℌ', 'I': 'ℑ', 'R': 'ℜ', 'Z': 'ℨ'},
	"italic":  {'h': 'ℎ'},
}

func inAlphabet(alphabet string, r rune) rune {
	if other, ok := holes[alphabet][r]; ok {
		return other
	}
	base := bases[alphabet]
	switch {
	case r >= 'A' && r <= 'Z':
		return base[0] + r - 'A'
	case r >= 'a' && r <= 'z':
		return base[1] + r - 'a'
	case r >= '0' && r <= '9' && base[2] > 0:
		return base[2] + r - '0'
	}
	return r
}
