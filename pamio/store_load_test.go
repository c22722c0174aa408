package pamio

import (
	"errors"
	"strings"
	"testing"
)

func TestAStoreIsLoadedWholeOrNotAtAll(t *testing.T) {
	doc := storeOf(t, full+`,"relations":[{"id":"r","from":"a","to":"b","type":"supports","created_at":"2026-01-01T00:00:00Z"}],
		"conversations_index":[{"id":"c","platform":"claude","temporal":{"created_at":"2026-01-01T00:00:00Z"}}]`, memory("a", "")+"}", memory("b", "")+"}")
	s, err := LoadStore(strings.NewReader(doc), int64(len(doc)))
	if err != nil || len(s.Memories) != 2 || s.Memories[1].ID != "b" || s.Relations[0].To != "b" || s.Index[0].Platform != "claude" || s.Owner.ID != "ada" {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := LoadStore(strings.NewReader(doc), int64(len(doc))-1); !errors.Is(err, ErrElementTooBig) {
		t.Errorf("a store beyond the limit: %v", err)
	}
	if _, err := LoadStore(strings.NewReader(doc[:len(doc)/2]), 1<<20); err == nil {
		t.Error("half a store is loaded")
	}
}
