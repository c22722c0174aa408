package htmlmd

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// preformatted is an open pre element: its text is kept as it is.
type preformatted struct {
	text     strings.Builder
	language string
}

func (in *inline) openPre() { in.pre = &preformatted{} }

// startInPre takes the language from the class of the code inside it, and line breaks.
func (in *inline) startInPre(a atom.Atom, attr map[string]string) {
	switch a {
	case atom.Br:
		in.pre.text.WriteByte('\n')
	case atom.Code:
		if in.pre.language == "" {
			in.pre.language = language(attr["class"])
		}
	}
}

func (in *inline) closePre() (code, language string) {
	p := in.pre
	in.pre = nil
	code = strings.TrimPrefix(p.text.String(), "\n")
	return strings.TrimSuffix(code, "\n"), p.language
}

// language is the name behind "language-" or "lang-" in a class.
func language(class string) string {
	for _, c := range strings.Fields(class) {
		for _, prefix := range []string{"language-", "lang-"} {
			if name, ok := strings.CutPrefix(c, prefix); ok && !strings.ContainsAny(name, "`~") && len(name) <= 32 {
				return name
			}
		}
	}
	return ""
}

// fenced is a block of code behind a fence that is longer than any in it.
func fenced(code, language string) string {
	fence := strings.Repeat("`", max(3, longestRun(code, '`')+1))
	if code != "" {
		code += "\n"
	}
	return fence + language + "\n" + code + fence
}
