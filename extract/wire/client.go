// Package wire talks JSON over HTTP to a service that is asked for pay: a language model, an
// embedding model. It is the part that all of them share: retries that keep to what the server
// says, limits on time and size, errors that say whether asking again can help and show neither
// what was sent nor a key.
//
//	c, err := wire.New(wire.Options{URL: "https://api.example.com/v1", Header: wire.Bearer(key), Timeout: time.Minute})
//	answer, err := c.JSON(ctx, wire.Request{Path: "/embeddings", Body: body})   // POST, because there is a body
//	answer, err  = c.JSON(ctx, wire.Request{Path: "/batches/b1"})               // GET, because there is none
//	lines, err  := c.Open(ctx, wire.Request{Path: "/files/f1/content"})         // a body of any length, as a stream
//
// What comes back instead of an answer is one of four, to be asked for with errors.Is and errors.As
// in this order:
//
//   - the error of the context, when it has ended;
//   - an *extract.AskError, when the service cannot be asked now (connection, 408, 409, 425, 429,
//     5xx, no JSON; all attempts are used up) or at all (Permanent: 401, 402, 403, 404, 405, 410, a
//     redirect, a certificate, no credit left). It has a hint, and wraps the *StatusError, if there
//     was an answer: who asks for one batch takes the 404 of it from there;
//   - a bare *StatusError, when the service refuses this request and may take another: 400, 413,
//     422 and the other 4xx. Its Message says why;
//   - ErrTooLarge, when the answer passes MaxAnswer.
//
// A request may arrive more than once: an answer that was lost on the way is asked for again.
package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options say whom to ask and how long. Only URL is needed.
type Options struct {
	// URL is the address that paths are put behind: http or https, with a query if need be, without
	// a user or a password.
	URL string
	// Header goes along with each request: the key, a version. Its values never stand in an error.
	Header http.Header
	// Timeout is the longest wait for one answer, its body included; 0 is 2 minutes. Of a stream it
	// is the longest wait for the next bytes.
	Timeout time.Duration
	// Attempts is how often one request is sent at most; 0 is 4.
	Attempts int
	// MaxWait is the longest pause that is kept when a server asks for one; 0 is 2 minutes. When it
	// asks for more, the request ends as "not now".
	MaxWait time.Duration
	// MaxAnswer is the longest body of an answer that is read at once, in bytes, unpacked; 0 is 64
	// MiB.
	MaxAnswer int64
	// HTTP sends the requests; nil is a client with the settings of net/http. It is copied:
	// redirects are never followed, as the key would go along.
	HTTP *http.Client
	// Sleep waits or ends with the context's error; nil waits on the real clock.
	Sleep func(context.Context, time.Duration) error
	// Jitter gives numbers in [0,1) that shorten pauses, by a quarter at most, so that those who
	// failed together do not come back together; nil is none.
	Jitter func() float64
}

// Client asks one service. It is safe for concurrent use.
type Client struct {
	o       Options
	base    *url.URL
	http    http.Client
	secrets []string
}

// Bearer is the header with a key as most services want it; empty without a key.
func Bearer(key string) http.Header {
	h := http.Header{}
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
	return h
}

// New checks the address. The error never shows it: somebody may have put a key there.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return nil, errors.New("read address of service: not a URL; expected one like https://api.example.com/v1")
	case base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		return nil, errors.New("read address of service: expected http:// or https:// and a host")
	case base.User != nil:
		return nil, errors.New("read address of service: there is a user or a password in it; put the key where keys belong")
	}
	base.Fragment = ""
	c := &Client{o: o, base: base}
	if o.HTTP != nil {
		c.http = *o.HTTP
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.o.Timeout = or(o.Timeout, 2*time.Minute)
	c.o.Attempts = or(o.Attempts, 4)
	c.o.MaxWait = or(o.MaxWait, 2*time.Minute)
	c.o.MaxAnswer = or(o.MaxAnswer, 64<<20)
	if o.Sleep == nil {
		c.o.Sleep = Sleep
	}
	if o.Jitter == nil {
		c.o.Jitter = func() float64 { return 0 }
	}
	for name, values := range o.Header {
		for _, v := range values {
			if err := checkHeader(name, v); err != nil {
				return nil, err
			}
			for _, word := range strings.Fields(v) {
				if len(word) >= 8 {
					c.secrets = append(c.secrets, word)
				}
			}
		}
	}
	return c, nil
}

// Host is whom is asked, for messages: host and port, no path.
func (c *Client) Host() string { return c.base.Host }

func or[T int | int64 | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// Sleep waits on the real clock, or ends with the error of the context.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// checkHeader finds what net/http would refuse with an error that quotes the value: mostly a line
// end behind a key.
func checkHeader(name, value string) error {
	for _, r := range value {
		if r < ' ' && r != '\t' || r == 0x7f {
			return fmt.Errorf("read header %s of service: a line end or control character is in its value", http.CanonicalHeaderKey(name))
		}
	}
	return nil
}
