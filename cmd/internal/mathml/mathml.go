// Package mathml turns formulas in TeX, as assistants write them, into presentation MathML, which
// browsers show without script or fonts of their own.
//
//	html, ok := mathml.Convert(`\frac{a}{b}`, false)
//
// It knows the mathematics of everyday answers, not all of TeX: a formula with a command that it
// does not know is not converted, and is then shown as it was written. What it writes are elements
// of its own with escaped text, so nothing in a formula can become another element.
package mathml

import (
	"errors"
	"html"
	"strings"
	"unicode/utf8"
)

// Limits of a formula.
const (
	maxLength = 16 << 10
	maxDepth  = 60
)

// errUnknown is the error of a formula that is not converted.
var errUnknown = errors.New("the formula has something unknown")

// Convert gives the MathML of a formula, in a line or displayed; ok is false for a formula that
// cannot be converted.
func Convert(tex string, display bool) (text string, ok bool) {
	if len(tex) > maxLength || !utf8.ValidString(tex) || strings.ContainsFunc(tex, isUnprintable) {
		return "", false
	}
	p := &parser{rest: tex}
	row, err := p.row("")
	if err != nil || p.rest != "" {
		return "", false
	}
	attribute := ""
	if display {
		attribute = ` display="block"`
	}
	return "<math" + attribute + "><semantics>" + inRow(row) + `<annotation encoding="application/x-tex">` + html.EscapeString(tex) + "</annotation></semantics></math>", true
}

// isUnprintable tells whether XML has no such character.
func isUnprintable(r rune) bool {
	return r < ' ' && !strings.ContainsRune("\t\n\r", r) || r == 0xfffe || r == 0xffff
}

// parser reads a formula from its beginning.
type parser struct {
	rest  string
	depth int
	// alphabet is the kind of letters that is in force.
	alphabet string
}

// node is a part of a formula.
type node struct {
	xml string
	// limits: what is below and above it stands there in displayed formulas, not beside it.
	limits bool
}

func inRow(nodes []node) string {
	if len(nodes) == 1 {
		return nodes[0].xml
	}
	var b strings.Builder
	b.WriteString("<mrow>")
	for _, n := range nodes {
		b.WriteString(n.xml)
	}
	b.WriteString("</mrow>")
	return b.String()
}

func element(name, text string) string { return "<" + name + ">" + text + "</" + name + ">" }

func operatorNode(text string) node { return node{xml: element("mo", html.EscapeString(text))} }

// row reads until a token that ends it, which is not consumed: "}", "]", "&", "\\", "\right" or
// "\end"; with "" until the end.
func (p *parser) row(until string) (nodes []node, err error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errUnknown
	}
	defer func() { p.depth-- }()
	for {
		p.skipSpace()
		if p.rest == "" {
			if until != "" {
				return nil, errUnknown
			}
			return nodes, nil
		}
		if p.isEnd(until) {
			return nodes, nil
		}
		if before := len(p.rest); p.rest[0] == '^' || p.rest[0] == '_' || p.rest[0] == '\'' {
			base := node{xml: "<mrow></mrow>"}
			if len(nodes) > 0 {
				base, nodes = nodes[len(nodes)-1], nodes[:len(nodes)-1]
			}
			scripted, err := p.scripts(base)
			if err != nil || len(p.rest) == before {
				return nil, errors.Join(err, errUnknown)
			}
			nodes = append(nodes, scripted)
			continue
		}
		n, err := p.atom()
		if err != nil {
			return nil, err
		}
		if n.xml != "" {
			nodes = append(nodes, n)
		}
	}
}

// isEnd tells whether a token stands here that ends a row.
func (p *parser) isEnd(until string) bool {
	switch until {
	case "cell":
		return p.rest[0] == '&' || strings.HasPrefix(p.rest, `\\`) || p.isCommand("end") || p.isCommand("cr")
	case "right":
		return p.isCommand("right") || p.isCommand("middle")
	case "":
		return false
	}
	return strings.HasPrefix(p.rest, until)
}

func (p *parser) isCommand(name string) bool {
	after, ok := strings.CutPrefix(p.rest, `\`+name)
	return ok && (after == "" || !isLetter(after[0]))
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func (p *parser) skipSpace() {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n~")
}

// scripts reads what is above and below a base.
func (p *parser) scripts(base node) (node, error) {
	var below, above string
	for {
		p.skipSpace()
		switch {
		case p.rest != "" && p.rest[0] == '\'' && above == "":
			n := len(p.rest) - len(strings.TrimLeft(p.rest, "'"))
			p.rest = p.rest[n:]
			above = element("mo", strings.Repeat("′", n))
		case p.rest != "" && (p.rest[0] == '^' && above == "" || p.rest[0] == '_' && below == ""):
			isAbove := p.rest[0] == '^'
			p.rest = p.rest[1:]
			text, err := p.argument()
			if err != nil {
				return base, err
			}
			if isAbove {
				above = text
			} else {
				below = text
			}
		case p.rest != "" && (p.rest[0] == '^' || p.rest[0] == '_'):
			return base, errUnknown // TeX calls it a double script
		default:
			return scriptNode(base, below, above), nil
		}
	}
}

func scriptNode(base node, below, above string) node {
	names := [3]string{"msub", "msup", "msubsup"}
	if base.limits {
		names = [3]string{"munder", "mover", "munderover"}
	}
	switch {
	case below != "" && above != "":
		base.xml = element(names[2], base.xml+below+above)
	case below != "":
		base.xml = element(names[0], base.xml+below)
	case above != "":
		base.xml = element(names[1], base.xml+above)
	}
	base.limits = false
	return base
}

// argument reads what a command is applied to: a group, or one token.
func (p *parser) argument() (string, error) {
	p.skipSpace()
	if p.rest == "" {
		return "", errUnknown
	}
	if p.rest[0] == '{' {
		return p.group()
	}
	if c := p.rest[0]; c >= '0' && c <= '9' { // of 12, only the 1
		p.rest = p.rest[1:]
		return element("mn", string(c)), nil
	}
	n, err := p.atom()
	if err == nil && n.xml == "" {
		err = errUnknown
	}
	return n.xml, err
}

// group reads a formula in braces.
func (p *parser) group() (string, error) {
	p.rest = p.rest[1:]
	nodes, err := p.row("}")
	if err != nil {
		return "", err
	}
	p.rest = p.rest[1:]
	return inRow(nodes), nil
}

// raw reads the text in braces as it is.
func (p *parser) raw() (string, error) {
	p.skipSpace()
	if !strings.HasPrefix(p.rest, "{") {
		return "", errUnknown
	}
	depth := 0
	for i := 0; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				text := p.rest[1:i]
				p.rest = p.rest[i+1:]
				return text, nil
			}
		}
	}
	return "", errUnknown
}
