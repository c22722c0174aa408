// Package did parses decentralized identifiers (PAM §17, W3C DID Core) and finds the keys behind
// them: did:key from its own text, did:web by a request that only a caller with an HTTP client can
// make. Identifiers of other methods are parsed and left as they are.
package did

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/pamio/keys"
)

// Errors of identifiers.
var (
	// ErrSyntax is wrapped when a text is not a DID or DID URL.
	ErrSyntax = errors.New("not a DID")
	// ErrMethod is wrapped when a DID is of a method that cannot be resolved here.
	ErrMethod = errors.New("this DID method cannot be resolved")
)

// URL is a DID with what may follow it.
type URL struct {
	Method string
	// ID is the method-specific identifier.
	ID string
	// Rest is path and query as they are written.
	Rest string
	// Fragment names a part of the DID document, without "#".
	Fragment string
}

// DID is the identifier itself.
func (u URL) DID() string { return "did:" + u.Method + ":" + u.ID }

// String is the whole text.
func (u URL) String() string {
	s := u.DID() + u.Rest
	if u.Fragment != "" {
		s += "#" + u.Fragment
	}
	return s
}

// Parse reads a DID URL (W3C DID Core §3). The error wraps [ErrSyntax].
func Parse(text string) (URL, error) {
	rest, ok := strings.CutPrefix(text, "did:")
	method, rest, ok2 := strings.Cut(rest, ":")
	if !ok || !ok2 || method == "" || strings.Trim(method, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return URL{}, fmt.Errorf("parse DID: %w: it has the form did:method:identifier", ErrSyntax)
	}
	u := URL{Method: method}
	rest, u.Fragment, _ = strings.Cut(rest, "#")
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		rest, u.Rest = rest[:i], rest[i:]
	}
	u.ID = rest
	if !isIdentifier(rest) || strings.ContainsFunc(u.Rest+u.Fragment, func(c rune) bool { return c <= ' ' || c > '~' || c == '#' }) {
		return URL{}, fmt.Errorf("parse DID: %w: a character is not allowed in it", ErrSyntax)
	}
	return u, nil
}

// isIdentifier checks a method-specific identifier: letters, digits, ".", "-", "_", percent-encoded
// bytes, and colons between them.
func isIdentifier(s string) bool {
	if s == "" || strings.HasSuffix(s, ":") {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(".-_:", c) >= 0:
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			i += 2
		default:
			return false
		}
	}
	return true
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// KeyMethod is the method whose identifier is the key itself.
const KeyMethod = "key"

// OfKey is the did:key of a public key.
func OfKey(p keys.Public) string { return "did:" + KeyMethod + ":" + p.Multibase() }

// KeyID is the DID URL of the only verification method of the key's did:key.
func KeyID(p keys.Public) string { return OfKey(p) + "#" + p.Multibase() }

// Key gives the key of a did:key. Another method gives [ErrMethod], a text that is no key an error
// of package keys.
func (u URL) Key() (keys.Public, error) {
	if u.Method != KeyMethod {
		return keys.Public{}, fmt.Errorf("resolve did:%s: %w without the network", u.Method, ErrMethod)
	}
	p, err := keys.ParseMultibase(u.ID)
	if err != nil {
		return keys.Public{}, fmt.Errorf("resolve did:key: %w", err)
	}
	return p, nil
}
