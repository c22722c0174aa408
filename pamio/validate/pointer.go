package validate

import (
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
)

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// pointerTo joins tokens to an RFC 6901 pointer.
func pointerTo(tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(pointerEscape.Replace(t))
	}
	return b.String()
}

// locate is the pointer of the innermost value that carries a flag, and that value, starting from n
// which carries it. For duplicate keys that is the object; a key with odd text leads to its object,
// too.
func locate(n jsonscan.Node, f jsonscan.Flag) (string, jsonscan.Node) {
	var b strings.Builder
	for {
		next := jsonscan.Node{}
		i := 0
		for v := range n.Items() {
			if v.Flags()&f != 0 {
				b.WriteString("/" + strconv.Itoa(i))
				next = v
				break
			}
			i++
		}
		for k, v := range n.Fields() {
			if v.Flags()&f != 0 {
				b.WriteString("/" + pointerEscape.Replace(k.Str()))
				next = v
				break
			}
		}
		if !next.Exists() {
			return b.String(), n
		}
		n = next
	}
}
