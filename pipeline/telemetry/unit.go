package telemetry

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"go.opentelemetry.io/otel/attribute"
	"go.uber.org/zap"
)

func (u Unit) attributes() []attribute.KeyValue {
	var out []attribute.KeyValue
	for _, f := range []struct{ key, value string }{
		{"pam.drop", u.Drop}, {"pam.import", u.Import}, {"pam.shard", u.Shard}, {"pam.lane", u.Lane},
	} {
		if f.value != "" {
			out = append(out, attribute.String(f.key, f.value))
		}
	}
	return out
}

// Unit is what a message is about, in words that logs, metrics and traces may hold.
type Unit struct {
	Owner  string `json:"owner"`
	Drop   string `json:"drop"`
	Import string `json:"import"`
	Shard  string `json:"shard"`
	Lane   string `json:"lane"`
}

// UnitOf reads what it can of a message, and leaves out what has not the form of an id: that would be somebody's text.
func UnitOf(body []byte) Unit {
	var u Unit
	if json.Unmarshal(body, &u) != nil {
		return Unit{}
	}
	if state.CheckOwner(u.Owner) != nil {
		u.Owner = ""
	}
	for _, id := range []*string{&u.Drop, &u.Import, &u.Shard} {
		if state.CheckHex("id", *id) != nil {
			*id = ""
		}
	}
	if state.CheckLane(u.Lane) != nil {
		u.Lane = ""
	}
	return u
}

// Fields are those of a line in the log.
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

// What may become of a delivery, beside the classes of faults.
const (
	OutcomeOK      = "ok"
	OutcomeLater   = "later"   // it cannot be worked on yet
	OutcomeDrained = "drained" // given back because the process is stopping
)

// OutcomeOf is what became of a delivery, by its error.
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
