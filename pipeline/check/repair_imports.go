package check

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/state"
)

// errReading tells that the archive is read in another way now.
var errReading = errors.New("this version of pamline, or these settings, read the archive in another way")

// repairImport reads the archive of an import again, beside the store, and takes over the objects
// of the reading that are the damaged ones: reading is deterministic.
func (r *repairer) repairImport(ctx context.Context, d Damage) error {
	m := d.of.manifest
	if m.Drop == "" {
		return fmt.Errorf("%w: no import of the store needs it", errNotDerived)
	}
	over, discard, err := replay.Overlay(r.Store, r.Publish.Scratch)
	if err != nil {
		return err
	}
	if err := (&importRepairer{r}).readAgain(ctx, over, m, d); err != nil {
		return errors.Join(err, discard())
	}
	return discard()
}

func (r *importRepairer) readAgain(ctx context.Context, over blob.Store, m state.Manifest, d Damage) error {
	folder := state.ImportKey(m.Owner, m.Import, "")
	for o, err := range r.Store.List(ctx, folder) {
		if err != nil {
			return err
		}
		if err := over.Delete(ctx, o.Key); err != nil {
			return err
		}
	}
	if !strings.HasPrefix(d.Object, folder) {
		if err := over.Delete(ctx, d.Object); err != nil {
			return err
		}
	}
	o := r.Ingest
	o.Store, o.Unchanged, o.Admit, o.Metrics = over, nil, nil, nil
	o.ReuseFrom = -1 // what may be damaged is not relied on
	o.Embeddings = m.Embeddings
	if len(m.Extractors) == 0 { // the manifest itself is lost
		o.Embeddings = r.Ingest.Embeddings
	}
	failed := errReading
	for _, as := range r.readingsOf(m) {
		o.Limits = as.limits
		read, err := ingest.Ingest(ctx, o, ingest.Request{Owner: m.Owner, Drop: m.Drop, Extractors: m.Extractors, Importer: as.importer, Lane: m.Lane, Stored: true}, nil)
		switch {
		case err != nil:
			failed = err
		case read.Import != m.Import:
			continue
		case d.kind == kindManifest:
			failed = r.putManifest(ctx, read, d)
		default:
			failed = r.takeOver(ctx, over, d)
		}
		if failed == nil || ctx.Err() != nil || fault.Of(failed) == fault.Outage {
			return failed
		}
	}
	return failed
}

// reading is a way in which an import may have been read.
type reading struct {
	importer string // "" if none was asked for
	limits   state.Limits
}

// readingsOf gives the ways to try: the limits of the settings and those that are the default, and
// the importer if there is only one.
func (r *importRepairer) readingsOf(m state.Manifest) (all []reading) {
	usual := r.Ingest.Limits
	usual.MaxConversation, usual.MaxDepth, usual.Sidecar, usual.MaxAsset = 0, 0, 0, 0
	usual.MaxConversation = usual.Units().MaxConversation
	for _, limits := range []state.Limits{r.Ingest.Limits, usual} {
		all = append(all, reading{"", limits})
		if len(m.Importers) == 1 {
			all = append(all, reading{m.Importers[0], limits})
		}
	}
	return all
}

// putManifest stores a manifest that was made again. The lane is no part of the reading.
func (r *importRepairer) putManifest(ctx context.Context, read state.Manifest, d Damage) error {
	for _, lane := range []string{state.LaneSmall, state.LaneBulk} {
		read.Lane = lane
		body, err := ingest.EncodeManifest(read)
		if err != nil {
			return err
		}
		if objects.Digest(string(body)) == d.digest {
			return r.put(ctx, d.Object, body)
		}
	}
	return errReading
}

// takeOver copies an object that was made again into the store, if it is the one that was lost.
func (r *importRepairer) takeOver(ctx context.Context, over blob.Store, d Damage) error {
	digest := d.digest
	if digest == "" {
		digest = objects.DigestInName(d.Object)
	}
	if digest == "" {
		return fmt.Errorf("%w: its digest is not known", errNotDerived)
	}
	whole, err := objects.IsWhole(ctx, over, d.Object, digest)
	if err != nil {
		return err
	}
	if !whole {
		return errReading
	}
	v, err := objects.OpenVerified(ctx, over, d.Object, digest)
	if err != nil {
		return err
	}
	defer v.Close()
	_, err = r.Store.Put(ctx, d.Object, v, blob.PutOptions{})
	return err
}

// repairResult extracts a shard again, beside the store. Services are not asked: their recorded
// answers are read.
func (r *repairer) repairResult(ctx context.Context, d Damage) error {
	m, shard := d.of.manifest, d.of.shard
	if shard.ID == "" {
		return fmt.Errorf("%w: no shard of the store needs it", errNotDerived)
	}
	over, discard, err := replay.Overlay(r.Store, r.Publish.Scratch)
	if err != nil {
		return err
	}
	if err := (&importRepairer{r}).extractAgain(ctx, over, m, shard, d); err != nil {
		return errors.Join(err, discard())
	}
	return discard()
}

func (r *importRepairer) extractAgain(ctx context.Context, over blob.Store, m state.Manifest, shard state.Shard, d Damage) error {
	for _, key := range []string{d.Object, state.CompleteKey(m.Owner, m.Import, shard.ID)} {
		if err := over.Delete(ctx, key); err != nil {
			return err
		}
	}
	o := r.Extraction
	o.Store, o.Admit, o.Metrics, o.Estimate = over, nil, nil, true
	if m.Embeddings == "" {
		o.Embed = nil
	}
	if _, _, err := extraction.ExtractShard(ctx, o, extraction.Task{Owner: m.Owner, Import: m.Import, Shard: shard.ID, Pack: shard.Pack, Gen: 1}); err != nil {
		return err
	}
	return r.takeOver(ctx, over, d)
}
