package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/pamline/pamline/cmd/internal/api"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/fault"
)

// replayPath is where a service is asked to read a drop again: a pipeline.ReplayAsk, answered by a pipeline.Replay.
const replayPath = "/replay"

// replayAsked is the service's side. own tells that its own stages do the work, so that it can tell beforehand what would
// change nothing.
func replayAsked(d pipeline.Deps, q queue, own bool) func(context.Context, []byte) (any, error) {
	var notice *pipeline.Notice
	if own {
		notice = new(pipeline.Notice)
	}
	return func(ctx context.Context, body []byte) (any, error) {
		var ask pipeline.ReplayAsk
		in := json.NewDecoder(bytes.NewReader(body))
		in.DisallowUnknownFields()
		if err := in.Decode(&ask); err != nil {
			return nil, &api.WrongAskError{Err: fmt.Errorf("decode replay: %w: run a command of the service's version", err)}
		}
		answer, err := pipeline.Prepare(ctx, d, ask, notice)
		if fault.Of(err) == fault.Permanent {
			return nil, &api.WrongAskError{Err: err}
		}
		if err != nil || answer.State != pipeline.ReplayQueued {
			return answer, err
		}
		return answer, q.Submit(ctx, answer.Request)
	}
}
