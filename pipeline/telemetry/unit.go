package telemetry

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
)

// Unit is what a task is about, in words that logs may hold.
type Unit struct {
	Owner, Drop, Import, Shard, Lane string
}

// Fields gives the fields of a line in the log; empty ones are left out.
func (u Unit) Fields() []zap.Field {
	var out []zap.Field
	for _, f := range []struct{ name, value string }{
		{"owner", u.Owner}, {"drop", u.Drop}, {"import", u.Import}, {"shard", u.Shard}, {"lane", u.Lane},
	} {
		if f.value != "" {
			out = append(out, zap.String(f.name, f.value))
		}
	}
	return out
}

// The outcomes of a delivery, beside the classes of faults.
const (
	OutcomeOK      = "ok"
	OutcomeLater   = "later"   // it cannot be worked on yet
	OutcomeDrained = "drained" // given back because the process is stopping
)

// OutcomeOf gives the outcome of a delivery, by its error.
func OutcomeOf(ctx context.Context, err error) string {
	later := (*fault.Later)(nil)
	switch {
	case err == nil:
		return OutcomeOK
	case fault.IsDrain(ctx, err):
		return OutcomeDrained
	case errors.As(err, &later):
		return OutcomeLater
	}
	return string(fault.Of(err))
}
