package htmlmd

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// MaxImages bounds what Images gives.
const MaxImages = 1000

// Images lists the sources of the images that are shown, each once, in their order.
func Images(src string) []string {
	var out []string
	z := html.NewTokenizer(strings.NewReader(strings.ToValidUTF8(src, "\uFFFD")))
	hiding, depth := atom.Atom(0), 0
	for {
		switch z.Next() {
		case html.ErrorToken:
			return out
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			a := atom.Lookup(name)
			switch {
			case hiding != 0 && a == hiding:
				depth++
			case hiding != 0:
			case hidden[a]:
				hiding, depth = a, 1
			case a == atom.Img:
				if src := strings.TrimSpace(attributes(z, more)["src"]); src != "" && len(out) < MaxImages && !slices.Contains(out, src) {
					out = append(out, src)
				}
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); hiding != 0 && atom.Lookup(name) == hiding {
				if depth--; depth == 0 {
					hiding = 0
				}
			}
		}
	}
}
