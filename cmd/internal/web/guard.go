package web

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// policy lets a page load its own stylesheet, script and images, and nothing from elsewhere. There
// is no inline script or style.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guard refuses what does not come from the page itself, and sets the headers of every answer.
func (p *Page) guard(next http.Handler) http.Handler {
	crossing := http.NewCrossOriginProtection()
	crossing.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.fail(w, r, nil, &statusError{http.StatusForbidden, "This request came from another site and was refused.", "Use the page itself."})
	}))
	next = crossing.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{
			"Content-Security-Policy":      policy,
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "same-origin", // no-referrer would make the origin of forms null
			"Cache-Control":                "no-store",
			"X-Frame-Options":              "DENY",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
		} {
			w.Header().Set(name, value)
		}
		switch {
		case !p.isHost(r.Host):
			http.Error(w, "this page answers on this machine only: use the address that pamline open prints", http.StatusMisdirectedRequest)
		case isForeign(r):
			p.fail(w, r, nil, &statusError{http.StatusForbidden, "This request came from another site and was refused.", "Use the page itself."})
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isHost tells whether a request names this machine: a name of somebody else may have been made to
// point here.
func (p *Page) isHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	if ip := net.ParseIP(name); ip != nil && ip.IsLoopback() || strings.EqualFold(name, "localhost") {
		return true
	}
	return slices.ContainsFunc(p.o.Hosts, func(known string) bool { return strings.EqualFold(known, name) })
}

// isForeign tells whether another site asks for something, except by a link that leads to a page.
func isForeign(r *http.Request) bool {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	if origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host {
		return true
	}
	if site == "" || site == "same-origin" || site == "none" {
		return false
	}
	return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Method != http.MethodGet
}
