package stagetest

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/harvest"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// Embedder makes vectors of texts and counts how often it is asked for each. After Limit texts it
// does not answer.
type Embedder struct {
	mu    sync.Mutex
	Asked map[string]int
	Given int
	Limit int // 0 is none
}

func (e *Embedder) Model() string    { return "v" }
func (e *Embedder) Identity() string { return "v@2" }

func (e *Embedder) Embed(_ context.Context, texts []string) ([][]float32, extract.Usage, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Given += len(texts); e.Limit > 0 && e.Given > e.Limit {
		return nil, extract.Usage{}, &extract.AskError{Err: errors.New("the service is closed"), Hint: "open it"}
	}
	var out [][]float32
	for _, t := range texts {
		if e.Asked == nil {
			e.Asked = map[string]int{}
		}
		e.Asked[t]++
		out = append(out, []float32{float32(len(t)), 1})
	}
	return out, extract.Usage{Requests: 1}, nil
}

// Model is an extractor that asks a service, which answers or does not.
type Model struct {
	harvest.Extractor
	Answers bool
}

func (*Model) Name() string      { return "model" }
func (*Model) Version() string   { return "pamline-model/1.0.0" }
func (*Model) Wants([]byte) bool { return true }

func (*Model) Extract(*pamio.Conversation, []byte) ([]normalize.Candidate, extract.Report) {
	return nil, extract.Report{}
}

func (*Model) ExtractRecord(*extract.Record) ([]normalize.Candidate, extract.Report) {
	return nil, extract.Report{}
}

func (m *Model) Ask(context.Context, iter.Seq2[*pamio.Conversation, error], extract.Answers) (extract.Usage, error) {
	if !m.Answers {
		return extract.Usage{}, &extract.AskError{Err: errors.New("it does not answer"), Hint: "start it"}
	}
	return extract.Usage{Requests: 1}, nil
}

func (m *Model) Read(_ context.Context, doc *pamio.Conversation, _ extract.Answers) ([]normalize.Candidate, extract.Report, error) {
	if !m.Answers {
		var r extract.Report
		r.Fail("no-answer")
		return nil, r, nil
	}
	return []normalize.Candidate{{
		Type: "fact", Content: "Has talked of hens.", Confidence: 0.8, Decay: "none", Platform: doc.Provider.Name, Method: "llm_inference",
		Extractor: "pamline-model/1.0.0", Evidence: []normalize.Evidence{{Conversation: doc.ID, Message: doc.Messages[0].ID, ObservedAt: "2024-01-01T00:00:00Z"}},
	}}, extract.Report{}, nil
}

func (*Model) Estimate(*pamio.Conversation) extract.Usage { return extract.Usage{Requests: 1} }
