package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/cmd/internal/api"
	"github.com/pamline/pamline/pipeline"
)

// editPath is where a service is asked to change a memory: an editRequest, answered by a state.StoreChange.
const editPath = "/edit"

type editRequest struct {
	Owner string        `json:"owner"`
	Edit  assemble.Edit `json:"edit"`
}

// handleEdit is the service's side.
func handleEdit(d pipeline.Deps) func(context.Context, []byte) (any, error) {
	return func(ctx context.Context, body []byte) (any, error) {
		var r editRequest
		in := json.NewDecoder(bytes.NewReader(body))
		in.DisallowUnknownFields()
		if err := in.Decode(&r); err != nil {
			return nil, &api.WrongAskError{Err: fmt.Errorf("decode edit: %w: run a command of the service's version", err)}
		}
		change, err := pipeline.Edit(ctx, d, r.Owner, r.Edit)
		if errors.Is(err, pipeline.ErrNoMemory) || errors.Is(err, pipeline.ErrNoContent) || errors.Is(err, pipeline.ErrNoStore) {
			return nil, &api.WrongAskError{Err: err}
		}
		return change, err
	}
}
