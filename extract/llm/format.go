package llm

import (
	"context"
	"net/http"
)

// question is one message to the model, beside the system prompt.
type question struct {
	model     string
	text      string
	maxOutput int
	context   int    // tokens of the model's context, for servers that take it with a request
	effort    string // how long the model may think; "" is its own way
}

// reply is what a service answered to a question.
type reply struct {
	text string
	// cut: the answer ended at its greatest length. refused: the model or a filter will not answer.
	cut, refused bool
	input        int64 // tokens, 0 when the service does not tell
	output       int64
}

// format is a wire format: what is fixed about it, and how its bodies are made and read.
type format struct {
	home  string // the address of the maker's API
	path  string // of questions
	rungs []rung
	wireFormat
	// batchRequests and batchBytes are how many requests, and bytes of them, one batch may hold.
	batchRequests int
	batchBytes    int64
	batches       batchFormat // nil: there is no batch API
}

// wireFormat makes requests and reads answers. It knows no network.
type wireFormat interface {
	// complete puts behind an address what people leave out of it.
	complete(address string) string
	header(key string) http.Header
	// body is the request in a dialect.
	body(q question, d dialect) ([]byte, error)
	// read reads the body of an answer of status 2xx; an error is one of form.
	read(body []byte) (reply, error)
}

var formats = map[string]format{
	OpenAI: {
		home: "https://api.openai.com/v1", path: "/chat/completions", rungs: []rung{rungSchema, rungObject, rungTool, rungPlain}, wireFormat: openAI{},
		batchRequests: 50_000, batchBytes: 200 << 20, batches: openAIBatches{},
	},
	Ollama: {home: "http://127.0.0.1:11434", path: "/api/chat", rungs: []rung{rungSchema, rungObject, rungPlain}, wireFormat: ollama{}},
	Anthropic: {
		home: "https://api.anthropic.com/v1", path: "/messages", rungs: []rung{rungSchema, rungTool, rungPlain}, wireFormat: anthropic{},
		batchRequests: 100_000, batchBytes: 256 << 20, batches: anthropicBatches{},
	},
}

// batchFormat is a batch API.
type batchFormat interface {
	// item is one request of a batch.
	item(id string, body []byte) ([]byte, error)
	// submit hands over the items and gives the batch's name.
	submit(ctx context.Context, x *Extractor, tag string, items [][]byte) (id string, err error)
	// find looks for a batch that was handed over, or may have been: the names of those that it may
	// be. sure tells that they carry its tag.
	find(ctx context.Context, x *Extractor, b *batchRecord) (ids []string, sure bool, err error)
	// poll asks how a batch is doing.
	poll(ctx context.Context, x *Extractor, id string) (batchState, error)
	// results gives what came, in any order.
	results(ctx context.Context, x *Extractor, s batchState, each func(id string, r batchResult) error) error
}

// batchState is how a batch is doing.
type batchState struct {
	id    string
	ended bool
	// failed is why the service did not begin it, a short code; "" otherwise. again tells that it
	// may take it later.
	failed string
	again  bool
	// files are where the results lie.
	files []string
}

// batchResult is what came of one request.
type batchResult struct {
	reply reply
	// status is that of the request alone: 200, or that of an error; 0 for one that was never
	// looked at (expired, cancelled).
	status        int
	code, message string
	// err is a body of status 200 that could not be read.
	err error
}
