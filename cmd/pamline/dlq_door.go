package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pamline/pamline/cmd/internal/api"
	"github.com/pamline/pamline/pipeline"
)

// lettersAsked is the service's side of a question about letters.
func lettersAsked[T any](do func(context.Context, pipeline.LetterFilter) (T, error)) func(context.Context, []byte) (any, error) {
	return func(ctx context.Context, body []byte) (any, error) {
		var f pipeline.LetterFilter
		in := json.NewDecoder(bytes.NewReader(body))
		in.DisallowUnknownFields()
		if err := in.Decode(&f); err != nil {
			return nil, &api.WrongAskError{Err: fmt.Errorf("decode question about dead letters: %w: run a command of the service's version", err)}
		}
		answer, err := do(ctx, f)
		if errors.Is(err, pipeline.ErrLetterID) {
			return nil, &api.WrongAskError{Err: err}
		}
		return answer, err
	}
}
