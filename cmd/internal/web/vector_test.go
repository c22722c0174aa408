package web

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/search"
)

func TestASearchFindsWhatMeansTheSame(t *testing.T) {
	s := serveSite(t, 1<<20)
	putStore(t, s.store, "ann", "plain words")
	head, _, err := state.ReadHead(t.Context(), s.store, "ann")
	if err != nil {
		t.Fatal(err)
	}
	putObject(t, s.store, state.ExportKey("ann", head.ExportID, ".embeddings.json"), fmt.Sprintf(
		`{"schema":%q,"schema_version":"1.0","embeddings":[{"created_at":"2024-01-01T00:00:00Z","dimensions":2,"id":"e","memory_id":%q,"model":"m","vector":[1,0.1]}]}`, pamio.EmbeddingsSchema, otherID))
	answers := true
	s.o.Meaning = func(_ context.Context, text string) (*search.Vector, error) {
		if !answers {
			return nil, errors.New("no answer")
		}
		if text != "matcha" {
			t.Errorf("%q", text)
		}
		return &search.Vector{Model: "m", Numbers: []float32{1, 0}}, nil
	}
	v := s.letIn(t, "ann")
	if _, body := v.get(Base + "search?q=matcha"); !strings.Contains(body, "means the same") || !strings.Contains(body, "memories/"+otherID) {
		t.Error(body[strings.Index(body, "<main"):])
	}
	answers = false
	if _, body := v.get(Base + "search?q=matcha"); !strings.Contains(body, "Only words were compared") || !strings.Contains(body, "Nothing has these words") {
		t.Error(body[strings.Index(body, "<main"):])
	}
}
