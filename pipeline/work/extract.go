package work

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// extractHandler finds the candidates of a shard.
type extractHandler struct{ *units }

func (h *extractHandler) work(ctx context.Context, o job.Opened, _ bool) (next []job.Task, err error) {
	t := o.Task
	var pass breakerPass
	options := h.Extraction
	options.Admit = func(importers []string) (err error) {
		pass, err = h.breakers.admit(breakerKey{telemetry.StageExtract, t.Owner, strings.Join(importers, ",")})
		return err
	}
	var header state.ResultHeader
	var complete bool
	err = fault.Recovered("extract shard", func() (err error) {
		header, complete, err = h.stages.extract(ctx, options,
			extraction.Task{Owner: t.Owner, Import: t.Import, Shard: t.Shard, Pack: t.Pack, Gen: t.Gen})
		return err
	})
	if err = pass.report(ctx, err); err != nil {
		return nil, err
	}
	h.observe(t, telemetry.Event{Stage: telemetry.StageExtract, Import: t.Import, Units: int64(t.Pack) + 1})
	if !complete {
		return nil, &finalError{&fault.Fault{Class: fault.Unit, Hint: header.Hint, Err: &unansweredError{header}}}
	}
	return h.next(ctx, t)
}

// next gives what follows a complete shard. If that is nothing, the job may have ended without the
// shard; then the drop is asked for once more, which costs no extraction.
func (h *extractHandler) next(ctx context.Context, t job.Task) ([]job.Task, error) {
	next, err := h.jobs.NextAfter(ctx, t)
	if err != nil || len(next) > 0 {
		return next, err
	}
	asked, _, err := h.jobs.AskAfterLate(ctx, t)
	return append([]job.Task{}, asked.Tasks...), err
}

func (h *extractHandler) describe(job.Opened, error, *job.Failure) {}

func (h *extractHandler) end(t job.Task, _ job.Failure) {
	h.observe(t, telemetry.Event{Stage: telemetry.StageExtract, Import: t.Import, Units: int64(t.Pack) + 1})
}

// unansweredError tells that a service did not answer everything. What it answered is recorded, so
// a redrive asks for the rest.
type unansweredError struct{ header state.ResultHeader }

func (e *unansweredError) Error() string {
	if e.header.Trouble != "" {
		return e.header.Trouble
	}
	return e.LogText()
}

// LogText leaves out what the service said, which may quote a question.
func (e *unansweredError) LogText() string {
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(e.header.Unanswered)) {
		reasons = append(reasons, fmt.Sprintf("%d × %s", e.header.Unanswered[reason], reason))
	}
	return "a service did not answer all questions: " + strings.Join(reasons, ", ")
}
