package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/pamline/pamline/cmd/internal/exit"
)

// 130 tells a person that running the command again goes on. That is so only when a signal has
// ended it: a context that something inside ended must not hide the error beside it.
func TestOnlyASignalInterrupts(t *testing.T) {
	inside := errors.Join(errors.New("the folder is empty"), fmt.Errorf("open consumer: %w", context.Canceled))
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		err  error
		code int
		says string
	}{
		{t.Context(), inside, exit.Failed, "pamline: the folder is empty\nopen consumer: context canceled\n"},
		{t.Context(), exit.With(exit.Partial, nil), exit.Partial, ""},
		{t.Context(), nil, exit.Done, ""},
		{interrupted, context.Canceled, exit.Interrupted, "pamline: interrupted\n"},
	} {
		var stderr bytes.Buffer
		a := &app{ctx: c.ctx, stderr: &stderr}
		if code := a.end(c.err); code != c.code || stderr.String() != c.says {
			t.Errorf("%v: exit code %d, want %d; says %q", c.err, code, c.code, stderr.String())
		}
	}
}
