package validate

import (
	"net/url"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// uri checks that a field is an absolute URI, or a URN. Nothing is ever looked up.
func (e *element) uri(n jsonscan.Node, pointer string) {
	s, ok := text(n)
	if !ok {
		return
	}
	u, err := url.Parse(s)
	bad := err != nil || u.Scheme == "" || strings.ContainsAny(s, " \t\r\n<>\"{}|\\^`") || u.Opaque == "" && u.Host == "" && u.Path == ""
	if e.wrong(formatURI, bad) {
		e.find(formatURI, e.at(pointer, n), "the URI is relative or malformed; write it with its scheme, or leave it out")
	}
}
