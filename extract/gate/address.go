package gate

import "strings"

var (
	authHeader = &kind{name: "authorization", reason: Secret}
	userinfo   = &kind{name: "url-password", reason: Secret}
)

// addresses finds passwords in addresses (scheme://user:password@host), and the values of Bearer
// and Basic authorization.
func addresses(text string) []value {
	var found []value
	for i := 0; ; {
		n := strings.Index(text[i:], "://")
		if n < 0 {
			break
		}
		i += n + len("://")
		if from, to, ok := password(text, i); ok {
			found = append(found, value{from, to, userinfo})
			i = to
		}
	}
	for i := 0; i < len(text); i++ {
		if (text[i] != 'b' && text[i] != 'B') || i > 0 && key.has(text[i-1]) {
			continue
		}
		var n int
		switch {
		case prefixFold(text[i:], "bearer "):
			n = len("bearer ")
		case prefixFold(text[i:], "basic "):
			n = len("basic ")
		default:
			continue
		}
		from := i + n
		to := run(text, from, bearer)
		if n == len("bearer ") && to-from >= 16 && mixed(text[from:to], 6) || n == len("basic ") && to-from >= 8 && decodes(text[from:to]) {
			found = append(found, value{from, to, authHeader})
			i = to
		}
	}
	return found
}

// password finds the one in the address whose host part begins at i.
func password(text string, i int) (from, to int, ok bool) {
	const longest = 512
	end := i
	for end < len(text) && end-i < longest && text[end] > ' ' && !strings.ContainsRune(`/?#"<>`, rune(text[end])) {
		end++
	}
	user := text[i:end]
	host := strings.LastIndexByte(user, '@')
	if host < 0 || host == len(user)-1 {
		return 0, 0, false
	}
	colon := strings.IndexByte(user[:host], ':')
	if colon < 0 || host-colon < 4 {
		return 0, 0, false
	}
	secret := user[colon+1 : host]
	if strings.ContainsAny(secret, "{}[]") || strings.Trim(secret, "*x.") == "" || secret == Mark {
		return 0, 0, false // a place for one
	}
	return i + colon + 1, i + host, true
}

func prefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
