package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// How long a token can be exchanged, how long a session lasts after its last use, and how many
// there are at most.
const (
	tokenLife   = 10 * time.Minute
	sessionLife = 12 * time.Hour
	maxSessions = 64
)

// sessions know which browser is which owner's. Only digests of tokens and cookies are kept.
type sessions struct {
	now    func() time.Time
	random io.Reader

	mu sync.Mutex
	// invited are tokens that were not exchanged yet, entered are cookies.
	invited, entered map[[32]byte]grant
}

// grant is what a token or a cookie stands for.
type grant struct {
	// owner is whose store may be seen; "" for an operator, who sees the work of all owners and the
	// store of none.
	owner string
	until time.Time
}

func newSessions(now func() time.Time, random io.Reader) *sessions {
	return &sessions{now: now, random: random, invited: map[[32]byte]grant{}, entered: map[[32]byte]grant{}}
}

// invite makes a one-time token for an owner, for an operator if that is "".
func (s *sessions) invite(owner string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.issue(s.invited, grant{owner, s.now().Add(tokenLife)})
}

// exchange makes a session of a token, which is used up.
func (s *sessions) exchange(token string) (cookie string, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := sha256.Sum256([]byte(token))
	g, found := s.invited[key]
	delete(s.invited, key)
	if !found || !s.now().Before(g.until) {
		return "", false, nil
	}
	cookie, err = s.issue(s.entered, grant{g.owner, s.now().Add(sessionLife)})
	return cookie, err == nil, err
}

// issue makes a word of 256 random bits for a grant. The grants that ended are forgotten, and the
// one that ends first if there are too many.
func (s *sessions) issue(in map[[32]byte]grant, g grant) (string, error) {
	raw := make([]byte, 32)
	if _, err := io.ReadFull(s.random, raw); err != nil {
		return "", fmt.Errorf("make token of the page: %w", err)
	}
	var first [32]byte
	for key, other := range in {
		if !s.now().Before(other.until) {
			delete(in, key)
		} else if f, ok := in[first]; !ok || other.until.Before(f.until) {
			first = key
		}
	}
	if len(in) >= maxSessions {
		delete(in, first)
	}
	word := hex.EncodeToString(raw)
	in[sha256.Sum256([]byte(word))] = g
	return word, nil
}

// cookieName has the port in it: browsers share the cookies of a host among its ports.
func cookieName(r *http.Request) string {
	sum := sha256.Sum256([]byte(r.Host))
	return "pamline-" + hex.EncodeToString(sum[:4])
}

// owner is the owner of the session that a request belongs to, "" for an operator.
func (s *sessions) owner(r *http.Request) (string, bool) {
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := sha256.Sum256([]byte(c.Value))
	g, ok := s.entered[key]
	if !ok || !s.now().Before(g.until) {
		return "", false
	}
	g.until = s.now().Add(sessionLife)
	s.entered[key] = g
	return g.owner, true
}

// enter exchanges the token of the address for a cookie.
func (p *Page) enter(w http.ResponseWriter, r *http.Request) {
	cookie, ok, err := p.sessions.exchange(r.URL.Query().Get("token"))
	switch {
	case err != nil:
		p.fail(w, r, nil, err)
	case !ok:
		p.fail(w, r, nil, &statusError{http.StatusForbidden, "This address was used before, or is too old.", "Run pamline open again: it prints a new one."})
	default:
		http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: cookie, Path: Base, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
		// A redirect could still count as coming from elsewhere, and leave out the cookie.
		p.render(w, nil, http.StatusOK, "entered", "Welcome", nil)
	}
}
