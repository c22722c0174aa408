package chat

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// tags gathers the tags of a chat in the form that a document has them.
func tags(lists ...jsonscan.Node) []string {
	var out []string
	seen := map[string]bool{}
	for _, list := range lists {
		for v := range list.Items() {
			text := v.Str()
			if v.Kind() == jsonscan.Object {
				text = v.Get("name").Str()
			}
			if tag := slug(text); pamio.IsTag(tag) && !seen[tag] && len(out) < maxTags {
				seen[tag] = true
				out = append(out, tag)
			}
		}
	}
	return out
}

// Bounds of the tags of one conversation, and of the bytes of a name that are looked at.
const (
	maxTags = 200
	maxTag  = 200
)

// slug writes a name as a tag: lower case, letters without their accents, and "-" for what a tag
// cannot have.
func slug(name string) string {
	var out strings.Builder
	dash := false
	for _, r := range norm.NFKD.String(strings.ToLower(name[:min(len(name), maxTag)])) {
		if unicode.Is(unicode.Mn, r) {
			continue
		}
		if r < 0x80 && pamio.IsTag("a"+string(r)) && r != '-' {
			if dash && out.Len() > 0 {
				out.WriteByte('-')
			}
			dash = false
			out.WriteRune(r)
			continue
		}
		dash = true
	}
	return strings.TrimLeft(out.String(), "_-")
}
