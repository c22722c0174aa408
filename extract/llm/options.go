package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/rules"
	"github.com/pamline/pamline/extract/wire"
)

// Wire formats.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
	Ollama    = "ollama"
)

// Options say which model is asked, and within what limits. Only Model is needed for Read; Ask
// needs Sleep and Now, too.
type Options struct {
	API   string // OpenAI (default), Anthropic or Ollama
	URL   string // of the API; default that of the maker of the wire format
	Model string
	// Key gives the key for the API; nil, or what gives "", for a server that needs none. It is
	// asked once.
	Key       func() string
	Batch     bool          // use the batch API
	Timeout   time.Duration // longest wait for one answer; default 2 minutes
	Attempts  int           // how often one request is sent at most; default 4
	Parallel  int           // most requests at the same time; default 4
	MaxOutput int           // longest answer, in tokens, thoughts included; default 4096

	// Context is how many tokens the server reads and writes in one request; 0 is enough for every
	// question. Questions are made to fit, and a quarter of it is the longest answer.
	Context int
	// Effort is how long the model may think before it answers: none, minimal, low, medium, high;
	// "" leaves it to the model.
	Effort string
	// ExtraBody is a JSON object whose fields are merged into each request; nil is none.
	ExtraBody json.RawMessage

	// PriceInput and PriceOutput are US dollars for a million tokens, at the usual price: batches
	// are estimated at half of it.
	PriceInput, PriceOutput float64
	// MaxUSD and MaxTokens end the asking before it would pass them; 0 is no limit.
	MaxUSD    float64
	MaxTokens int64

	// Now is the clock, and Sleep waits on it or ends with the context's error. Nothing that is
	// kept depends on either.
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error
	// Jitter gives numbers in [0,1) that spread repeated requests; nil is none.
	Jitter func() float64
	// HTTP sends the requests; nil is a client with the settings of net/http.
	HTTP *http.Client
}

// Extractor asks a model. It is safe for concurrent use.
type Extractor struct {
	o       Options
	version string
	client  *wire.Client
	// once sends a request once, and waits long for the answer: batches are large, and must not be
	// handed over twice.
	once   *wire.Client
	format format
	ladder ladder
	// busy has a place for each request that may be under way.
	busy    chan struct{}
	budgets budgets
	// context is how many tokens the server needs, and chunkSize how many of them the turns of a
	// question may take.
	context   int
	chunkSize int64
	extra     object
	times     *rules.Extractor // resolves the words for times
}

var (
	_ extract.Extractor = (*Extractor)(nil)
	_ extract.Asking    = (*Extractor)(nil)
)

// New makes an extractor. An error says which option is wrong, and shows neither the key nor the
// address.
func New(o Options) (*Extractor, error) {
	if o.API == "" {
		o.API = OpenAI
	}
	o.Timeout = or(o.Timeout, 2*time.Minute)
	o.Attempts = or(o.Attempts, 4)
	o.Parallel = or(o.Parallel, 4)
	o.MaxOutput = or(o.MaxOutput, 4096)
	f, ok := formats[o.API]
	switch {
	case !ok:
		return nil, fmt.Errorf("set up llm: there is no API %q (known: %s, %s, %s)", o.API, OpenAI, Anthropic, Ollama)
	case strings.TrimSpace(o.Model) == "":
		return nil, errors.New("set up llm: no model is named")
	case o.Batch && f.batches == nil:
		return nil, fmt.Errorf("set up llm: the API %s has no batches; set llm.batch to false", o.API)
	case o.Effort != "" && o.API == Anthropic:
		return nil, errors.New("set up llm: llm.reasoning_effort is not of the API anthropic; set its own fields with llm.extra_body")
	case o.Context < 0:
		return nil, errors.New("set up llm: llm.context is below zero")
	case o.MaxUSD < 0 || o.MaxTokens < 0 || o.PriceInput < 0 || o.PriceOutput < 0:
		return nil, errors.New("set up llm: a price or a limit is below zero")
	case o.MaxUSD > 0 && o.PriceInput == 0 && o.PriceOutput == 0:
		return nil, errors.New("set up llm: there is a limit in dollars and no price; set the prices of what is sent and answered")
	}
	if o.URL == "" {
		o.URL = f.home
	}
	o.URL = f.complete(o.URL)
	secret := ""
	if o.Key != nil {
		secret = strings.TrimSpace(o.Key())
	}
	to := wire.Options{
		URL: o.URL, Header: f.header(secret), Timeout: o.Timeout, Attempts: o.Attempts, MaxAnswer: maxBody, HTTP: o.HTTP, Sleep: o.Sleep, Jitter: o.Jitter,
	}
	client, err := wire.New(to)
	if err != nil {
		return nil, fmt.Errorf("set up llm: %w", err)
	}
	to.Attempts, to.Timeout = 1, max(o.Timeout, longUpload)
	once, err := wire.New(to)
	if err != nil {
		return nil, fmt.Errorf("set up llm: %w", err)
	}
	x := &Extractor{o: o, client: client, once: once, format: f, ladder: newLadder(), busy: make(chan struct{}, o.Parallel), times: rules.New()}
	if x.extra, err = parseExtraBody(o.ExtraBody); err != nil {
		return nil, fmt.Errorf("set up llm: %w", err)
	}
	if err := x.fit(); err != nil {
		return nil, fmt.Errorf("set up llm: %w", err)
	}
	x.version, err = x.newVersion()
	return x, err
}

// longUpload is how long handing over a batch may take.
const longUpload = 15 * time.Minute

// maxBody is the longest answer of a service that is read at once.
const maxBody = 16 << 20

func or[T int | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// Name is "llm".
func (*Extractor) Name() string { return "llm" }

// Version names the model, and by a digest everything that goes into a question: the prompt, the
// schema, and how conversations are cut. Whatever changes one of them makes another extractor,
// whose answers are its own.
func (x *Extractor) Version() string { return x.version }

// contract is the version of how answers are read.
const contract = "1.1.0"

func (x *Extractor) newVersion() (string, error) {
	extra, err := json.Marshal(x.extra)
	if err != nil {
		return "", fmt.Errorf("set up llm: write llm.extra_body: %w", err)
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{
		system, string(schema), x.o.API, x.o.Model, strconv.Itoa(x.o.MaxOutput), x.o.Effort, string(extra),
		strconv.FormatInt(x.chunkSize, 10), strconv.Itoa(maxWindow), strconv.Itoa(maxAssistant), strconv.Itoa(maxForeign),
		strconv.Itoa(maxDraft), strconv.Itoa(overlap),
	}, "\x00")))
	return "pamline-llm-" + folded40(x.o.Model) + "-" + hex.EncodeToString(sum[:4]) + "/" + contract, nil
}

// folded40 is a model's name in small letters, digits and dashes, at most 40 of them.
func folded40(model string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(model) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	name := b.String()
	if len(name) > 40 {
		name = name[:40]
	}
	if name = strings.Trim(name, "-"); name == "" {
		return "model"
	}
	return name
}

// endpoint is the address without anything that could be a key, to remember by what was learnt
// about it.
func (x *Extractor) endpoint() string {
	u, err := url.Parse(x.o.URL)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
