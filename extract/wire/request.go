package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/pamline/pamline/extract"
)

// ErrTooLarge is an answer that is longer than Options.MaxAnswer. Asking again gives the same.
var ErrTooLarge = errors.New("answer is longer than allowed")

// Request is one question.
type Request struct {
	// Method is GET without and POST with a body, when it is empty.
	Method string
	// Path is put behind the address: "/chat/completions".
	Path  string
	Query url.Values
	// Header goes along beside that of the client, and wins.
	Header http.Header
	// Type is that of the body; empty is application/json.
	Type string
	Body []byte
	// Source gives a long body instead of Body, anew for each attempt, and its length (-1 when it
	// is not known).
	Source func() (io.ReadCloser, int64, error)
}

// Answer is what was answered with a status of 2xx.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// Attempts is how often the request was sent for it.
	Attempts int
}

// JSON asks and gives the whole answer, which is JSON. Its form is for the caller to check.
func (c *Client) JSON(ctx context.Context, r Request) (Answer, error) {
	return c.try(ctx, func(ctx context.Context, attempt int) (Answer, error) {
		ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
		defer cancel()
		resp, err := c.send(ctx, r)
		if err != nil {
			return Answer{}, err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(io.LimitReader(resp.Body, c.o.MaxAnswer+1))
		switch {
		case int64(len(body)) > c.o.MaxAnswer:
			return Answer{}, fmt.Errorf("read answer of service: %w", ErrTooLarge)
		case err != nil:
			return Answer{}, broken(err)
		case !json.Valid(body):
			return Answer{}, &lost{text: "answer of service is no JSON", hint: "Check that the address is that of an API: " + c.Host() + " answered with something else, maybe a web page."}
		}
		if e := c.wrapped(resp, body); e != nil {
			return Answer{}, e
		}
		return Answer{Status: resp.StatusCode, Header: resp.Header, Body: body, Attempts: attempt}, nil
	})
}

// Open asks and gives the answer as a stream, which has to be closed. Errors until its first byte
// are those of JSON; an error while reading is an *extract.AskError, or that of the context, which
// has to live as long as the stream.
func (c *Client) Open(ctx context.Context, r Request) (io.ReadCloser, error) {
	var stream io.ReadCloser
	_, err := c.try(ctx, func(ctx context.Context, _ int) (Answer, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		timer := time.AfterFunc(c.o.Timeout, func() { cancel(context.DeadlineExceeded) })
		resp, err := c.send(ctx, r) //nolint:bodyclose // idleBody closes it
		if err != nil {
			if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
				err = broken(context.DeadlineExceeded)
			}
			timer.Stop()
			cancel(nil)
			return Answer{}, err
		}
		stream = &idleBody{body: resp.Body, ctx: ctx, timer: timer, wait: c.o.Timeout, cancel: cancel, host: c.Host()}
		return Answer{}, nil
	})
	return stream, err
}

// send makes one attempt. The body of the response is the caller's to close; without a response of
// 2xx there is none.
func (c *Client) send(ctx context.Context, r Request) (*http.Response, error) {
	req, err := c.request(ctx, r)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, broken(err)
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 256<<10))
	if err != nil {
		body = nil // the status says what is needed; its explanation got lost
	}
	return nil, c.statusError(resp, body)
}

func (c *Client) request(ctx context.Context, r Request) (*http.Request, error) {
	u := c.base.JoinPath(r.Path)
	if len(r.Query) > 0 {
		q := u.Query()
		for k, vs := range r.Query {
			q[k] = vs
		}
		u.RawQuery = q.Encode()
	}
	var body io.Reader
	length := int64(0)
	switch {
	case r.Source != nil:
		source, n, err := r.Source()
		if err != nil {
			return nil, fmt.Errorf("open body of request: %w", err)
		}
		body, length = source, n
	case r.Body != nil:
		body, length = bytes.NewReader(r.Body), int64(len(r.Body))
	}
	method := r.Method
	switch {
	case method != "":
	case body != nil:
		method = http.MethodPost
	default:
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		if source, ok := body.(io.Closer); ok {
			err = errors.Join(err, source.Close())
		}
		return nil, fmt.Errorf("make request: %w", err)
	}
	if body != nil {
		req.ContentLength = length
		req.Header.Set("Content-Type", "application/json")
		if r.Type != "" {
			req.Header.Set("Content-Type", r.Type)
		}
	}
	req.Header.Set("Accept", "application/json")
	for _, h := range []http.Header{c.o.Header, r.Header} {
		for name, values := range h {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	return req, nil
}

// idleBody reads a stream that ends when nothing comes for too long.
type idleBody struct {
	body   io.ReadCloser
	ctx    context.Context
	timer  *time.Timer
	wait   time.Duration
	cancel context.CancelCauseFunc
	host   string
}

func (b *idleBody) Read(p []byte) (int, error) {
	b.timer.Reset(b.wait)
	n, err := b.body.Read(p)
	b.timer.Stop()
	if err == nil || err == io.EOF { //nolint:errorlint // a bare io.EOF is the end; a wrapped one would be a failure
		return n, err
	}
	switch cause := context.Cause(b.ctx); {
	case errors.Is(cause, context.DeadlineExceeded) && b.ctx.Err() == context.Canceled: //nolint:errorlint // own timer: the context was cancelled by it
		err = context.DeadlineExceeded
	case b.ctx.Err() != nil:
		return n, b.ctx.Err()
	}
	l := broken(err)
	return n, &extract.AskError{Err: fmt.Errorf("read answer of service %s: %w", b.host, l), Hint: l.hint}
}

func (b *idleBody) Close() error {
	b.timer.Stop()
	err := b.body.Close()
	b.cancel(nil)
	return err
}
