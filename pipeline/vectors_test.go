package pipeline

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/harvest"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/state"
)

// counting makes vectors of texts and counts how often it is given each. After limit texts in one import it is out of order.
type counting struct {
	asked map[string]int
	given int
	limit int // 0 is none
}

func (c *counting) Model() string { return "v" }

func (c *counting) Identity() string { return "v@2" }

func (c *counting) Embed(_ context.Context, texts []string) ([][]float32, extract.Usage, error) {
	if c.given += len(texts); c.limit > 0 && c.given > c.limit {
		return nil, extract.Usage{}, &extract.AskError{Err: errors.New("the service is closed"), Hint: "open it"}
	}
	var out [][]float32
	for _, t := range texts {
		c.asked[t]++
		out = append(out, []float32{float32(len(t)), 1})
	}
	return out, extract.Usage{Requests: 1}, nil
}

// moody is an extractor that asks a service, which answers or does not.
type moody struct {
	harvest.Extractor
	answers bool
}

func (*moody) Name() string    { return "moody" }
func (*moody) Version() string { return "pamline-moody/1.0.0" }

func (*moody) Wants([]byte) bool { return true }

func (*moody) Extract(*pamio.Conversation, []byte) ([]normalize.Candidate, extract.Report) {
	return nil, extract.Report{}
}

func (*moody) ExtractRecord(*extract.Record) ([]normalize.Candidate, extract.Report) {
	return nil, extract.Report{}
}

func (m *moody) Ask(context.Context, iter.Seq2[*pamio.Conversation, error], extract.Answers) (extract.Usage, error) {
	if !m.answers {
		return extract.Usage{}, &extract.AskError{Err: errors.New("it does not answer")}
	}
	return extract.Usage{Requests: 1}, nil
}

func (m *moody) Read(_ context.Context, doc *pamio.Conversation, _ extract.Answers) ([]normalize.Candidate, extract.Report, error) {
	if !m.answers {
		var r extract.Report
		r.Fail("no-answer")
		return nil, r, nil
	}
	return []normalize.Candidate{{
		Type: "fact", Content: "Has talked of hens.", Confidence: 0.8, Decay: "none", Platform: doc.Provider.Name, Method: "llm_inference",
		Extractor: "pamline-moody/1.0.0", Evidence: []normalize.Evidence{{Conversation: doc.ID, Message: doc.Messages[0].ID, ObservedAt: "2024-01-01T00:00:00Z"}},
	}}, extract.Report{}, nil
}

func (*moody) Estimate(*pamio.Conversation) extract.Usage { return extract.Usage{Requests: 1} }

func TestWhatAModelAnswersLaterGetsItsVectorToo(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	model, vectors := &moody{}, &counting{asked: map[string]int{}}
	d.Extractors, d.Embed = extract.NewRegistry(harvest.New(), model), vectors
	file := zipOf(t, map[string]string{"conversations.json": manyConversations(2)})
	if r := runImport(t, d, "me", file); r.State != state.StateLosses || r.Store.Stats.Embeddings != 2 {
		t.Fatalf("without the model: %+v", r)
	}
	model.answers = true
	if r := runImport(t, d, "me", file); r.State != state.StateDone || r.Store.Memories != 3 || r.Store.Stats.Embeddings != 3 {
		t.Errorf("with the model: %+v, %+v", r.Store, r.Store.Stats)
	}
	for text, n := range vectors.asked {
		if n != 1 {
			t.Errorf("the vector of %q was asked for %d times", text, n)
		}
	}
}

func TestVectorsThatCameBeforeAFailureAreKept(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	d.Limits.ShardItems = 2 * extraction.TextsAtOnce
	n := extraction.TextsAtOnce + 20
	vectors := &counting{asked: map[string]int{}, limit: extraction.TextsAtOnce}
	d.Embed = vectors
	file := zipOf(t, map[string]string{"conversations.json": manyConversations(n)})
	if r := runImport(t, d, "me", file); r.State != state.StateLosses || r.Extraction.Unanswered["embeddings"] != 20 || r.Store.Stats.Embeddings != int64(extraction.TextsAtOnce) {
		t.Fatalf("%s, %v, %+v", r.State, r.Extraction.Unanswered, r.Store.Stats)
	}
	vectors.given = 0
	if r := runImport(t, d, "me", file); r.State != state.StateDone || r.Store.Stats.Embeddings != int64(n) {
		t.Errorf("%s, %v, %+v", r.State, r.Extraction.Unanswered, r.Store.Stats)
	}
	if len(vectors.asked) != n || vectors.given != 20 {
		t.Errorf("%d texts were answered, %d in the second import", len(vectors.asked), vectors.given)
	}
}
