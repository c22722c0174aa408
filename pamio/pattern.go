package pamio

import (
	"net/url"
	"strings"
)

// The patterns of the schemas, by hand: they run on every document.

// IsPlatform tells whether s is a platform identifier, ^[a-z0-9_-]{2,32}$ (PAM §11.4).
func IsPlatform(s string) bool {
	return len(s) >= 2 && len(s) <= 32 && only(s, func(c byte) bool { return lowerOrDigit(c) || c == '_' || c == '-' })
}

// IsTag tells whether s is a tag, ^[a-z0-9][a-z0-9_-]*$ (PAM §4.3).
func IsTag(s string) bool {
	return s != "" && lowerOrDigit(s[0]) && only(s, func(c byte) bool { return lowerOrDigit(c) || c == '_' || c == '-' })
}

// IsSystem tells whether s names a system and its version, ^[a-zA-Z0-9_-]+/[0-9]+\.[0-9]+\.[0-9]+$
// (PAM §3.2, §11.2).
func IsSystem(s string) bool {
	name, version, ok := strings.Cut(s, "/")
	if !ok || name == "" || !only(name, func(c byte) bool {
		return lowerOrDigit(c) || c >= 'A' && c <= 'Z' || c == '_' || c == '-'
	}) {
		return false
	}
	parts := 0
	for part := range strings.SplitSeq(version, ".") {
		if part == "" || !only(part, isDigit) {
			return false
		}
		parts++
	}
	return parts == 3
}

// IsDigest tells whether s is a SHA-256 as PAM writes it, ^sha256:[a-f0-9]{64}$ (PAM §6.3).
func IsDigest(s string) bool {
	hex, ok := strings.CutPrefix(s, "sha256:")
	return ok && len(hex) == 64 && only(hex, func(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' })
}

// IsAbsoluteURI tells whether s is a URI with a scheme (RFC 3986 §3), as a citation's url must be:
// the characters of the RFC and no others, so that a URL with spaces or letters beyond ASCII is not
// one until they are percent-encoded. Brackets and number signs may stand where the RFC would have
// them encoded, for in real addresses they do.
func IsAbsoluteURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || rest == "" || !isLetter(scheme[0]) {
		return false
	}
	if !only(s, func(c byte) bool {
		return isLetter(c) || isDigit(c) || strings.IndexByte("-._~:/?#[]@!$&'()*+,;=%", c) >= 0
	}) {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.IsAbs()
}

func only(s string, ok func(byte) bool) bool {
	for i := 0; i < len(s); i++ {
		if !ok(s[i]) {
			return false
		}
	}
	return true
}

func lowerOrDigit(c byte) bool { return c >= 'a' && c <= 'z' || isDigit(c) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
