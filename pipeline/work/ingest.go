package work

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// bulkUnpacked is the unpacked size from which a drop is read in the lane of large ones, however
// small its archive is: a few archives of a thousand times their size would hold up everybody.
const bulkUnpacked = 256 << 20

// errBulky moves a drop to the lane of large ones.
var errBulky = fmt.Errorf("read drop: it unpacks to more than the small lane takes: %w", job.ErrStale)

// ingestHandler reads the archive of a drop.
type ingestHandler struct {
	*units
	bulk int64 // unpacked bytes above which a drop leaves the small lane
}

func (h *ingestHandler) work(ctx context.Context, o job.Opened, suspicious bool) (next []job.Task, err error) {
	t := o.Task
	send := &shardSender{units: h.units, opened: o}
	var pass breakerPass
	options := h.Ingest
	options.Observe = h.ofGeneration(t)
	options.Weigh = func(unpacked int64) error {
		if t.Lane == state.LaneSmall && unpacked > h.bulk {
			return errBulky
		}
		return nil
	}
	options.Admit = func(importers []string) (err error) {
		key := breakerKey{telemetry.StageIngest, t.Owner, strings.Join(importers, ",")}
		if pass.key != key { // else the drop is read at another place
			pass, err = h.breakers.admit(key)
		}
		return err
	}
	if h.Early && !suspicious { // after a crash, only the extraction of a shard tells which one kills
		options.Finder = h.Extraction.Finder
	}
	if t.Gen > 1 {
		options.Unchanged = h.acceptedImport
	}
	var m state.Manifest
	err = fault.Recovered("read drop", func() (err error) {
		request := requestOf(t.Ref, o.Record.Want, t.Lane)
		request.Stored = t.Gen > 1
		m, err = h.stages.ingest(ctx, options, request, send.publish(ctx))
		return err
	})
	if err = pass.report(ctx, err); errors.Is(err, errBulky) {
		t.Lane = state.LaneBulk
		if err := h.dispatch.SendTask(ctx, queue.FromHandler, t); err != nil {
			return nil, err
		}
		return nil, job.ErrStale
	} else if err != nil {
		return nil, err
	}
	body, err := ingest.EncodeManifest(m)
	if err != nil {
		return nil, err
	}
	r, err := h.jobs.Decide(ctx, t, m.Import, body)
	if err != nil {
		return nil, err
	}
	if !r.IsOpen(t.Gen) {
		return nil, job.ErrStale
	}
	if err := ingest.RemoveErasedCopies(ctx, h.Store, m); err != nil {
		return nil, err
	}
	h.observe(t, telemetry.Event{Stage: telemetry.StageExtract, Import: m.Import, Of: int64(len(m.Shards))})
	if r.Import == m.Import {
		return send.only(), nil
	}
	return nil, nil
}

// requestOf gives what the stage is asked to read.
func requestOf(ref job.Ref, w job.Want, lane string) ingest.Request {
	return ingest.Request{Owner: ref.Owner, Drop: ref.Drop, Importer: w.Importer, Extractors: w.Extractors, Lane: lane}
}

// describe names the reading that refused a drop for its content.
func (h *ingestHandler) describe(o job.Opened, cause error, f *job.Failure) {
	f.Reading = refusedReading(h.Ingest, o.Record.Want.Importer, cause)
}

func (h *ingestHandler) end(t job.Task, f job.Failure) {
	phase := state.StateFailed
	if f.Class == fault.Permanent {
		phase = state.StateRefused
	}
	h.Metrics.Imported(phase)
	h.observe(t, telemetry.Event{Stage: telemetry.StageDone})
}
