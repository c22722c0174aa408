package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

// Options of a Replayer.
type Options struct {
	Store blob.Store
	// Ingest says how drops are read. Its Registry and Extractors check Want; its other fields tell
	// which drops would not change.
	Ingest ingest.Options
	// Elsewhere: workers of another process, perhaps of another version, do the work. Then they
	// notice which drops would not change.
	Elsewhere bool
	// Want names the Importer and the Extractors ("" and none stand for the newest and those of the
	// settings), and whether an import with failed shards may replace a whole one (Incomplete).
	Want job.Want
	// Parallel is how many drops are in work at a time. Default: 8.
	Parallel int
	// NoWait ends the replay of a drop when it was asked for.
	NoWait bool
}

// Replayer has drops read again.
type Replayer struct {
	Options
	catalog *status.Catalog
}

// New gives a replayer. An importer or an extractor that does not exist is an error.
func New(o Options) (*Replayer, error) {
	if err := ingest.CheckImporter(o.Ingest.Registry, o.Want.Importer); err != nil {
		return nil, err
	}
	if _, err := state.SelectExtractors(o.Ingest.Extractors, o.Want.Extractors); err != nil {
		return nil, err
	}
	if o.Parallel <= 0 {
		o.Parallel = 8
	}
	return &Replayer{o, status.NewCatalog(o.Store)}, nil
}

// The results of a replay beside the final states of an import.
const (
	Queued    = "queued"    // it was asked for, and not waited for
	Unchanged = "unchanged" // it would come to the import that the store has
	Gone      = "gone"      // the archive is not in the inbox any more
	Trouble   = "trouble"   // an object is damaged, or the replay was turned down
)

// errGone is the error of a drop that cannot be read again.
var errGone = errors.New("drop the archive again")

// Prepared says what is to be done for a drop.
type Prepared struct {
	// Result is Queued if Want is to be asked for. Else it is Unchanged, Gone, Trouble, or refused
	// for a drop that would be refused again; Reason and Hint say why.
	Result, Reason, Hint string
	Want                 job.Want
}

// Prepare decides what is to be done for a drop, and writes nothing.
func (r *Replayer) Prepare(ctx context.Context, s Selected, bulk bool) (Prepared, error) {
	if s.Trouble != "" {
		return Prepared{Result: Trouble, Reason: s.Trouble}, nil
	}
	if same, err := r.isUnchanged(s); err != nil || same {
		return Prepared{Result: Unchanged}, err
	}
	if f, same, err := r.refusedBefore(ctx, s); err != nil || same {
		return Prepared{Result: state.StateRefused, Reason: cmp.Or(f.Detail, f.Reason), Hint: f.Hint}, err
	}
	size, err := findArchive(ctx, r.Store, s.Ref())
	if errors.Is(err, errGone) {
		return Prepared{Result: Gone, Reason: err.Error()}, nil
	}
	p := Prepared{Result: Queued, Want: r.Want}
	if p.Want.Lane = state.LaneBulk; !bulk {
		p.Want.Lane = dispatch.LaneOf(size)
	}
	return p, err
}

// refusedBefore gives the failure of a drop that was refused for its content, if the same importers
// would be asked again, by the same rules and limits.
func (r *Replayer) refusedBefore(ctx context.Context, s Selected) (f job.Failure, same bool, err error) {
	if r.Elsewhere || s.record.Outcome != job.Refused || s.record.Want.Importer != r.Want.Importer {
		return f, false, nil
	}
	_, err = objects.ReadJSON(ctx, r.Store, state.FailedKey(s.Owner, s.Drop, s.record.Gen, string(job.Ingest)), &f)
	if objects.IsMissing(err) || fault.Of(err) == fault.Permanent && err != nil {
		return f, false, nil // the drop is read again, and gets another failure
	}
	if err != nil || !f.IsWrongUpload() {
		return f, false, err
	}
	now, err := r.Ingest.RefusalReading(r.Want.Importer)
	return f, err == nil && f.Reading == now, err
}

// isUnchanged tells whether reading a drop would come to the import that the store has, whole. If
// it does not say so, reading may still come to the same.
func (r *Replayer) isUnchanged(s Selected) (bool, error) {
	if r.Elsewhere || s.Import == "" || s.isShort || s.record.State != job.Ended {
		return false, nil
	}
	return r.Ingest.ReadsAs(s.manifest, ingest.Request{Owner: s.Owner, Drop: s.Drop, Importer: r.Want.Importer, Extractors: r.Want.Extractors})
}

// findArchive gives the size of a drop whose parts are in the inbox, unchanged; errGone if they are
// not.
func findArchive(ctx context.Context, s blob.Store, ref job.Ref) (int64, error) {
	rec, err := state.ReadDrop(ctx, s, ref.Owner, ref.Drop)
	switch {
	case objects.IsMissing(err):
		return 0, fmt.Errorf("its record is not in the inbox any more: %w", errGone)
	case fault.Of(err) == fault.Permanent && err != nil:
		return 0, fmt.Errorf("%w: %w", err, errGone)
	case err != nil:
		return 0, err
	}
	for _, p := range rec.Parts {
		_, there, err := p.Locate(ctx, s)
		if err != nil {
			return 0, fmt.Errorf("look for archive: %w", err)
		}
		if !there {
			return 0, fmt.Errorf("%s is not in the inbox any more, or is another file now: %w", p.Name, errGone)
		}
	}
	return rec.Bytes(), nil
}
