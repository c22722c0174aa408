package pipeline

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// DefaultOwnerSmall is how many units of one owner wait in a small lane when Limits say nothing else.
const DefaultOwnerSmall = 8

// workStreams are the queues of the stages that have lanes.
var workStreams = map[string]string{telemetry.StageTake: StreamTake, telemetry.StageIngest: StreamIngest, telemetry.StageExtract: StreamExtract}

// bulkUnpacked is what a drop unpacks to from which it is read in the lane of the large ones, however small it is: a few small
// archives of a thousand times their size would hold up everybody.
const bulkUnpacked = 4 * bulkBytes

var errBulky = errors.New("read drop: it unpacks to much: it belongs into the lane of the large ones")

// weigh refuses in the small lane what unpacks to much.
func weigh(lane string, unpacked int64) error {
	if lane == state.LaneSmall && unpacked > bulkUnpacked {
		return errBulky
	}
	return nil
}

// FairLane gives the lane that a unit of an owner goes into: the small one only when it is small itself and fewer than
// limit units of the owner stand there already; limit 0 is DefaultOwnerSmall. So whoever comes with ten thousand drops, or
// with ten thousand that fail, fills the lane of the large ones, and nobody else's small drop stands behind them. Several
// who ask at the same moment may pass a few more; that does no harm.
func FairLane(ctx context.Context, js jetstream.StreamManager, stage, owner, wanted string, limit int) (string, error) {
	if wanted != state.LaneSmall {
		return wanted, nil
	}
	if limit <= 0 {
		limit = DefaultOwnerSmall
	}
	waiting, err := queuedSubjects(ctx, js, workStreams[stage], "pam."+stage+"."+state.LaneSmall+"."+owner+".>")
	if err != nil {
		return "", err
	}
	if len(waiting) >= limit {
		return state.LaneBulk, nil
	}
	return state.LaneSmall, nil
}

// queuedSubjects are the subjects below a filter that a work queue holds a message of, in ascending order: one that waits,
// or one that somebody has in hand.
func queuedSubjects(ctx context.Context, js jetstream.StreamManager, stream, filter string) ([]string, error) {
	s, err := js.Stream(ctx, stream)
	if err != nil {
		return nil, asOutage(fmt.Errorf("look into stream %s: %w", stream, err))
	}
	subjects, err := subjectsIn(ctx, s, filter)
	return slices.Sorted(maps.Keys(subjects)), err
}

// subjectsIn are those subjects of a stream, with how many messages there are of each. It is one request.
func subjectsIn(ctx context.Context, s jetstream.Stream, filter string) (map[string]uint64, error) {
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(filter))
	if err != nil {
		return nil, asOutage(fmt.Errorf("look into stream %s: %w", s.CachedInfo().Config.Name, err))
	}
	return info.State.Subjects, nil
}

// asOutage makes an error of NATS one that waits, but for the end of the context.
func asOutage(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &fault.Fault{Class: fault.Outage, Err: err, Hint: "the work waits for NATS and goes on by itself; check that it is reachable"}
}
