package wiring

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline/fault"
)

// silent is a store whose Get does what the test says.
type silent struct {
	blob.Store
	get func(ctx context.Context) error
}

func (s silent) Get(ctx context.Context, _ string, _ blob.Range) (io.ReadCloser, blob.Object, error) {
	return nil, blob.Object{}, s.get(ctx)
}

// Somebody who only looks hears within seconds that storage does not answer: neither a connection
// that is accepted and silent nor the store's own retries hold the command up.
func TestAViewOfAStoreThatDoesNotAnswerIsAnOutage(t *testing.T) {
	for name, get := range map[string]func(ctx context.Context) error{
		"no answer": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"refused":   func(context.Context) error { return &blob.Error{Op: "get", Err: errors.New("connection refused")} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := Sealing{View: true}.seal(t.Context(), silent{get: get}, new(config.Config))
			if s != nil || fault.Of(err) != fault.Outage || !strings.Contains(err.Error(), "check that storage runs") {
				t.Errorf("got %v, %v, want an outage", s, err)
			}
		})
	}
	refused := silent{get: func(context.Context) error { return &blob.Error{Op: "get", Err: errors.New("connection refused")} }}
	if s, err := (Sealing{}).seal(t.Context(), refused, new(config.Config)); s == nil || err != nil {
		t.Errorf("a service got %v, %v: it waits for storage", s, err)
	}
}
