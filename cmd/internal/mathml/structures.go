package mathml

import (
	"html"
	"strings"
)

// structures are the commands with arguments of their own. They are set when the package is
// initialized, for they read formulas themselves.
var structures map[string]func(*parser) (node, error)

func init() { //nolint:gochecknoinits // the table and the parser refer to each other
	structures = map[string]func(*parser) (node, error){
		"frac": parseFraction(""), "dfrac": parseFraction(""), "tfrac": parseFraction(""), "cfrac": parseFraction(""),
		"binom": binomial, "dbinom": binomial, "tbinom": binomial, "sqrt": root,
		"left": fenced, "begin": environment, "overset": stacked("mover"), "stackrel": stacked("mover"), "underset": stacked("munder"),
		"operatorname": named, "pmod": modulo, "not": negated, "boxed": passed, "phantom": phantom, "tag": tagged, "label": dropped,
		"big": sized, "Big": sized, "bigg": sized, "Bigg": sized, "bigl": sized, "bigr": sized, "Bigl": sized, "Bigr": sized, "biggl": sized, "biggr": sized, "bigm": sized,
	}
}

func parseFraction(attribute string) func(*parser) (node, error) {
	return func(p *parser) (node, error) {
		above, below, err := p.two()
		return node{xml: "<mfrac" + attribute + ">" + above + below + "</mfrac>"}, err
	}
}

func (p *parser) two() (first, second string, err error) {
	if first, err = p.argument(); err == nil {
		second, err = p.argument()
	}
	return first, second, err
}

func binomial(p *parser) (node, error) {
	above, below, err := p.two()
	return node{xml: element("mrow", element("mo", "(")+`<mfrac linethickness="0">`+above+below+"</mfrac>"+element("mo", ")"))}, err
}

func root(p *parser) (node, error) {
	p.skipSpace()
	degree := ""
	if strings.HasPrefix(p.rest, "[") {
		p.rest = p.rest[1:]
		nodes, err := p.row("]")
		if err != nil {
			return node{}, err
		}
		p.rest, degree = p.rest[1:], inRow(nodes)
	}
	of, err := p.argument()
	if degree != "" {
		return node{xml: element("mroot", of+degree)}, err
	}
	return node{xml: element("msqrt", of)}, err
}

func stacked(name string) func(*parser) (node, error) {
	return func(p *parser) (node, error) {
		mark, base, err := p.two()
		return node{xml: element(name, base+mark)}, err
	}
}

func named(p *parser) (node, error) {
	p.rest = strings.TrimPrefix(p.rest, "*")
	text, err := p.raw()
	if strings.Contains(text, `\`) {
		err = errUnknown
	}
	return node{xml: `<mi mathvariant="normal">` + html.EscapeString(text) + "</mi>"}, err
}

func modulo(p *parser) (node, error) {
	text, err := p.argument()
	return node{xml: element("mrow", `<mspace width="1em"></mspace>`+element("mo", "(")+element("mi", "mod")+`<mspace width="0.3em"></mspace>`+text+element("mo", ")"))}, err
}

// negated strikes an operator through.
func negated(p *parser) (node, error) {
	text, err := p.argument()
	inner, ok := strings.CutSuffix(text, "</mo>")
	if err != nil || !ok {
		return node{}, errUnknown
	}
	return node{xml: inner + "\u0338</mo>"}, nil
}

func passed(p *parser) (node, error) {
	text, err := p.argument()
	return node{xml: element("mrow", text)}, err
}

func phantom(p *parser) (node, error) {
	text, err := p.argument()
	return node{xml: element("mphantom", text)}, err
}

func tagged(p *parser) (node, error) {
	text, err := p.raw()
	return node{xml: `<mspace width="2em"></mspace>` + element("mtext", html.EscapeString("("+text+")"))}, err
}

func dropped(p *parser) (node, error) {
	_, err := p.raw()
	return node{}, err
}

// delimiter reads a bracket, or a dot for none.
func (p *parser) delimiter() (string, error) {
	p.skipSpace()
	if p.rest == "" {
		return "", errUnknown
	}
	if p.rest[0] == '\\' {
		name, ok := p.name()
		text, known := operators[name]
		if !ok || !known {
			return "", errUnknown
		}
		return text, nil
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	switch c {
	case '.':
		return "", nil
	case '<':
		return "⟨", nil
	case '>':
		return "⟩", nil
	case '(', ')', '[', ']', '|', '/':
		return string(c), nil
	}
	return "", errUnknown
}

func fence(text string) string {
	if text == "" {
		return ""
	}
	return `<mo fence="true" stretchy="true">` + html.EscapeString(text) + "</mo>"
}

func sized(p *parser) (node, error) {
	text, err := p.delimiter()
	return node{xml: fence(text)}, err
}

// fenced reads \left … \right.
func fenced(p *parser) (node, error) {
	opening, err := p.delimiter()
	if err != nil {
		return node{}, err
	}
	var b strings.Builder
	b.WriteString("<mrow>" + fence(opening))
	for {
		nodes, err := p.row("right")
		if err != nil {
			return node{}, err
		}
		b.WriteString(inRow(nodes))
		name, _ := p.name()
		closing, err := p.delimiter()
		if err != nil {
			return node{}, err
		}
		b.WriteString(fence(closing))
		if name == "right" {
			break
		}
	}
	b.WriteString("</mrow>")
	return node{xml: b.String()}, nil
}

// environments are the tables, with their brackets and how their columns are aligned.
var environments = map[string]struct{ opening, closing, columns string }{
	"matrix": {}, "smallmatrix": {}, "pmatrix": {"(", ")", ""}, "bmatrix": {"[", "]", ""}, "Bmatrix": {"{", "}", ""}, "vmatrix": {"|", "|", ""}, "Vmatrix": {"‖", "‖", ""},
	"cases": {"{", "", "left"}, "array": {}, "aligned": {"", "", "pairs"}, "align": {"", "", "pairs"}, "align*": {"", "", "pairs"}, "alignat": {"", "", "pairs"}, "split": {"", "", "pairs"},
	"gathered": {}, "gather": {}, "gather*": {}, "equation": {}, "equation*": {}, "eqnarray": {"", "", "pairs"}, "eqnarray*": {"", "", "pairs"},
}

// environment reads \begin{…} … \end{…}.
func environment(p *parser) (node, error) {
	name, err := p.raw()
	e, ok := environments[name]
	if err != nil || !ok {
		return node{}, errUnknown
	}
	if name == "array" {
		if _, err := p.raw(); err != nil { // how columns are aligned
			return node{}, err
		}
	}
	var b strings.Builder
	b.WriteString("<mrow>" + fence(e.opening) + "<mtable>")
	for done := false; !done; {
		b.WriteString("<mtr>")
		for column := 0; ; column++ {
			nodes, err := p.row("cell")
			if err != nil {
				return node{}, err
			}
			b.WriteString("<mtd" + columnClass(e.columns, column) + ">" + inRow(nodes) + "</mtd>")
			if p.rest[0] != '&' {
				break
			}
			p.rest = p.rest[1:]
		}
		b.WriteString("</mtr>")
		if done, err = p.endRow(name); err != nil {
			return node{}, err
		}
	}
	b.WriteString("</mtable>" + fence(e.closing) + "</mrow>")
	return node{xml: b.String()}, nil
}

func columnClass(columns string, n int) string {
	switch {
	case columns == "left", columns == "pairs" && n%2 == 1:
		return ` class="left"`
	case columns == "pairs":
		return ` class="right"`
	}
	return ""
}

// endRow reads what ends a row of a table: a line break, or the end of the table.
func (p *parser) endRow(environment string) (isLast bool, err error) {
	if p.isCommand("end") {
		p.rest = p.rest[len(`\end`):]
		name, err := p.raw()
		if err != nil || name != environment {
			return false, errUnknown
		}
		return true, nil
	}
	p.rest = strings.TrimPrefix(strings.TrimPrefix(p.rest, `\cr`), `\\`)
	p.skipSpace()
	if strings.HasPrefix(p.rest, "[") { // a distance
		if end := strings.IndexByte(p.rest, ']'); end >= 0 && end < 12 && strings.ContainsAny(p.rest[1:end], "0123456789") {
			p.rest = p.rest[end+1:]
			p.skipSpace()
		}
	}
	if p.isCommand("hline") {
		p.rest = p.rest[len(`\hline`):]
		p.skipSpace()
	}
	if p.isCommand("end") { // after the last line break there is no row
		return p.endRow(environment)
	}
	return false, nil
}
