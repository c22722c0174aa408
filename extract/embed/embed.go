// Package embed gets the vectors of texts from a service with the wire format of OpenAI (POST
// /embeddings), as most servers of embedding models have it, and knows the form in which vectors
// are recorded.
//
//	c, err := embed.New(embed.Options{URL: "http://127.0.0.1:11434/v1", Model: "nomic-embed-text"})
//	vectors, usage, err := c.Embed(ctx, contents) // vectors[i] is that of contents[i]
//
// Who records vectors asks only for the texts that are not recorded yet, by content hash and model
// (Line): a rerun is then free, and exact.
package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/wire"
)

// DefaultURL is that of the maker of the wire format.
const DefaultURL = "https://api.openai.com/v1"

// Options say whom to ask. Only Model is needed.
type Options struct {
	URL   string // empty is DefaultURL
	Model string
	Key   string // empty for a server that needs none; never shown
	// Dimensions asks for vectors of that length, of models that can shorten theirs; 0 takes the
	// model's own.
	Dimensions int
	// Batch is how many texts go into one request at most; 0 is 100.
	Batch int
	// Timeout is the longest wait for one answer; 0 is a minute. Attempts is how often one request
	// is sent; 0 is 4.
	Timeout  time.Duration
	Attempts int
	HTTP     *http.Client
	// Sleep and Jitter are those of wire.Options.
	Sleep  func(context.Context, time.Duration) error
	Jitter func() float64
}

// Client asks one model. It is safe for concurrent use.
type Client struct {
	o    Options
	wire *wire.Client
}

// New checks the options.
func New(o Options) (*Client, error) {
	if o.Model == "" {
		return nil, errors.New("make client for embeddings: there is no model")
	}
	if o.Dimensions < 0 {
		return nil, fmt.Errorf("make client for embeddings: %d dimensions", o.Dimensions)
	}
	if o.URL == "" {
		o.URL = DefaultURL
	}
	if o.Batch <= 0 {
		o.Batch = 100
	}
	if o.Timeout <= 0 {
		o.Timeout = time.Minute
	}
	w, err := wire.New(wire.Options{
		URL: o.URL, Header: wire.Bearer(o.Key), Timeout: o.Timeout, Attempts: o.Attempts,
		HTTP: o.HTTP, Sleep: o.Sleep, Jitter: o.Jitter,
	})
	if err != nil {
		return nil, fmt.Errorf("make client for embeddings: %w", err)
	}
	return &Client{o: o, wire: w}, nil
}

// Model names the model that is asked.
func (c *Client) Model() string { return c.o.Model }

// Identity is the model, with the length of vectors when one is asked for:
// "text-embedding-3-small@256".
func (c *Client) Identity() string {
	if c.o.Dimensions == 0 {
		return c.o.Model
	}
	return c.o.Model + "@" + strconv.Itoa(c.o.Dimensions)
}

// Embed gives a vector for each text, in their order, all of one length, of finite numbers, none of
// zeros alone. Empty texts have no vector: one is an error. The usage counts the requests that were
// answered, also when there is an error, which is that of the context or an *extract.AskError;
// neither texts nor key are in it.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, extract.Usage, error) {
	var usage extract.Usage
	for i, t := range texts {
		if t == "" {
			return nil, usage, fmt.Errorf("embed text %d of %d: it is empty", i+1, len(texts))
		}
	}
	vectors := make([][]float32, 0, len(texts))
	for from := 0; from < len(texts); from += c.o.Batch {
		batch := texts[from:min(from+c.o.Batch, len(texts))]
		got, err := c.ask(ctx, batch, &usage)
		if err != nil {
			return nil, usage, err
		}
		vectors = append(vectors, got...)
		if len(got[0]) != len(vectors[0]) {
			return nil, usage, c.wrong("embed texts: vectors of one request have %d numbers, of another %d", len(vectors[0]), len(got[0]))
		}
	}
	return vectors, usage, nil
}

func (c *Client) ask(ctx context.Context, texts []string, usage *extract.Usage) ([][]float32, error) {
	body, err := json.Marshal(request{Model: c.o.Model, Input: texts, Dimensions: c.o.Dimensions, Format: "float"})
	if err != nil {
		return nil, fmt.Errorf("write request for embeddings: %w", err)
	}
	answer, err := c.wire.JSON(ctx, wire.Request{Path: "/embeddings", Body: body})
	if err != nil {
		return nil, c.refused(err)
	}
	var a response
	if err := json.Unmarshal(answer.Body, &a); err != nil {
		return nil, c.wrong("read embeddings: the answer is not of their form")
	}
	usage.Add(extract.Usage{Requests: 1, Input: max(a.Usage.Prompt, 0)})
	return c.inOrder(a.Data, len(texts))
}

// inOrder puts the vectors into the order of the texts, and checks them.
func (c *Client) inOrder(data []item, n int) ([][]float32, error) {
	if len(data) != n {
		return nil, c.wrong("read embeddings: %d vectors for %d texts", len(data), n)
	}
	vectors := make([][]float32, n)
	for i := range data {
		at, v := i, data[i].Embedding
		if data[i].Index != nil {
			at = *data[i].Index
		}
		switch {
		case at < 0 || at >= n:
			return nil, c.wrong("read embeddings: index %d of %d texts", at, n)
		case vectors[at] != nil:
			return nil, c.wrong("read embeddings: two vectors with index %d", at)
		case c.o.Dimensions > 0 && len(v) != c.o.Dimensions:
			return nil, c.wrong("read embeddings: a vector of %d numbers instead of %d", len(v), c.o.Dimensions)
		case len(v) == 0 || data[0].Embedding != nil && len(v) != len(data[0].Embedding):
			return nil, c.wrong("read embeddings: vectors of %d and of %d numbers", len(data[0].Embedding), len(v))
		}
		if err := check(v); err != nil {
			return nil, c.wrong("read embeddings: vector %d %w", at, err)
		}
		vectors[at] = v
	}
	return vectors, nil
}

// check refuses vectors that have no direction.
func check(v []float32) error {
	zero := true
	for _, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return errors.New("has a number that is none")
		}
		zero = zero && x == 0
	}
	if zero {
		return errors.New("is of zeros alone")
	}
	return nil
}

// wrong is an answer that asking again does not mend.
func (c *Client) wrong(format string, args ...any) error {
	return &extract.AskError{
		Err: fmt.Errorf(format, args...), Permanent: true,
		Hint: "Check embeddings.url and embeddings.model: " + c.wire.Host() + " did not answer as a model for embeddings does.",
	}
}

// refused makes an AskError of a request that the service does not take: all requests are alike.
func (c *Client) refused(err error) error {
	var ask *extract.AskError
	var status *wire.StatusError
	switch {
	case errors.As(err, &ask):
		return &extract.AskError{Err: fmt.Errorf("get embeddings: %w", ask.Err), Permanent: ask.Permanent, Hint: ask.Hint}
	case errors.As(err, &status) && status.Status == http.StatusRequestEntityTooLarge:
		return &extract.AskError{Err: fmt.Errorf("get embeddings: %w", err), Permanent: true, Hint: "Set embeddings.batch lower, so that fewer texts go into one request."}
	case errors.As(err, &status):
		return &extract.AskError{Err: fmt.Errorf("get embeddings: %w", err), Permanent: true, Hint: "Check embeddings.model and embeddings.dimensions: not every model can shorten its vectors. A lower embeddings.batch may help, too."}
	case errors.Is(err, wire.ErrTooLarge):
		return c.wrong("get embeddings: %w", err)
	}
	return err
}
