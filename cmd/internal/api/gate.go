package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/pamline/pamline/config"
)

// Gate decides who may ask about imports, which are those of all owners.
type Gate struct {
	// Loopback tells whether only this machine reaches the endpoint.
	Loopback func() bool
	// Beyond: others than this machine are answered, too, if there is a token (http.api).
	Beyond bool
	// Token has to be sent by who asks. Without one, whoever is at this machine is answered, and
	// nobody else.
	Token config.Secret
	// Admin has the token that commands on this machine send; nil for a process without an admin
	// API.
	Admin *Admin
}

// refuses says why a question is not answered; nil when it is.
func (g Gate) refuses(r *http.Request) *problem {
	switch {
	case g.Admin.knows(r):
		return nil
	case !g.Loopback() && !(g.Beyond && g.Token.IsSet()):
		return &problem{"this endpoint can be reached from elsewhere and answers no questions about imports",
			"set http.addr to loopback, or http.api to true and http.token_file to the file of a token", http.StatusForbidden}
	case g.Token.IsSet() && !g.bears(r):
		return &problem{"this endpoint answers who sends its token",
			"send the header Authorization: Bearer and the token of http.token_file", http.StatusUnauthorized}
	}
	return nil
}

// bears compares digests, so that the time it takes tells neither the token nor its length.
func (g Gate) bears(r *http.Request) bool {
	scheme, sent, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(sent))), sha256.Sum256([]byte(g.Token.Reveal()))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}
