package ingest

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"go.uber.org/zap"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
	"github.com/pamline/pamline/providers"
)

// Publish is told of each shard as soon as its pack is durable, and of those that an interrupted run left. The shards of a
// drop that was read before to its end stand in the manifest; of them it is not told.
type Publish func(m state.Manifest, s state.Shard) error

// Ingest reads a drop into assets and packs of snapshots and records and writes the manifest last. Run again after an interruption it goes on
// behind the last complete pack; run again after its end it only reads the manifest, and when nothing would be read in
// another way than the accepted result was, the archive is not even opened. A drop that nothing recognises, or
// that cannot be opened, gives a *Fault of class Permanent.
//
// A part that is removed or replaced before it was read, or while it is, is read at another place where the same bytes lie.
func Ingest(ctx context.Context, d Options, r state.Request, publish Publish) (state.Manifest, error) {
	extractors, err := state.SelectExtractors(d.Extractors, r.Extractors)
	if err != nil {
		return state.Manifest{}, err
	}
	if d.Unchanged != nil {
		if m, ok, err := d.Unchanged(ctx, r); err != nil || ok {
			return m, err
		}
	}
	rec, err := state.ReadDrop(ctx, d.Store, r.Owner, r.Drop)
	if err != nil {
		return state.Manifest{}, err
	}
	for range 2 * state.MaxAlso {
		m, err := d.readAt(ctx, r, rec, extractors, publish)
		if err == nil {
			return m, nil
		}
		now, found, bad := elsewhere(ctx, d.Store, rec, err)
		if bad != nil {
			return m, fmt.Errorf("look for drop %s elsewhere: %w", r.Drop, bad)
		}
		if !found {
			return m, err
		}
		d.Log.Info("a part of a drop is not where it was; the same bytes are read elsewhere", zap.String("owner", r.Owner), zap.String("drop", r.Drop))
		rec = now
	}
	return state.Manifest{}, &fault.Later{After: MovingPause, Why: "its archive moves from place to place"}
}

// readAt is one reading of a drop, at the places that its record names first.
func (d Options) readAt(ctx context.Context, r state.Request, rec state.DropRecord, extractors []extract.Extractor, publish Publish) (state.Manifest, error) {
	_, opened := telemetry.StartSpan(ctx, d.Tracer, "open archive")
	a, fault, closeDrop, err := openDrop(ctx, d, rec)
	opened(err)
	if err != nil {
		return state.Manifest{}, err
	}
	defer func() {
		if err := closeDrop(); err != nil {
			d.Log.Warn("close archive failed", zap.Error(err))
		}
	}()
	if d.Weigh != nil {
		if err := d.Weigh(UnpackedBytes(a)); err != nil {
			return state.Manifest{}, err
		}
	}
	if err := CheckImporter(d.Registry, r.Importer); err != nil {
		return state.Manifest{}, err
	}
	reading, err := d.Reading(r.Importer)
	if err != nil {
		return state.Manifest{}, err
	}
	recognising, recognised := telemetry.StartSpan(ctx, d.Tracer, "recognise")
	found, err := d.Registry.Detect(recognising, a, providers.Options{Importer: r.Importer, Limits: d.Limits.UnitsIn(d.Scratch)})
	recognised(err)
	if storage := fault.get(); storage != nil {
		return state.Manifest{}, fmt.Errorf("recognise drop %s: %w", r.Drop, storage)
	}
	if err != nil {
		return state.Manifest{}, contentFault(refusedToo(err, a))
	}
	m := state.Manifest{V: 1, Owner: r.Owner, Drop: r.Drop, Lane: r.Lane, Extractors: state.ExtractorVersions(extractors), Reading: reading}
	for _, f := range found.Claims {
		m.Importers = append(m.Importers, f.Importer.Version())
	}
	m.Embeddings = d.Embeddings
	if d.Admit != nil {
		if err := d.Admit(m.Importers); err != nil {
			return m, err
		}
	}
	m.Import = state.ImportID(m.Owner, m.Drop, m.Importers, m.Extractors, m.Embeddings, d.Limits)

	var before state.Manifest
	_, err = state.ReadJSON(ctx, d.Store, state.ManifestKey(m.Owner, m.Import), &before)
	switch {
	case err == nil:
		return before, d.noteImport(ctx, before, r)
	case !errors.Is(err, blob.ErrNotExist):
		return m, err
	}
	in := newIngest(d, m, rec, a, found, extractors, publish, fault)
	if err := telemetry.RunStep(ctx, d.Tracer, "read", in.run); err != nil {
		return m, err
	}
	if !in.m.Counts.Kept() {
		return m, nothingKept(ctx, d, in.m)
	}
	if err := d.noteImport(ctx, in.m, r); err != nil {
		return in.m, err
	}
	return in.m, state.PutJSON(ctx, d.Store, state.ManifestKey(m.Owner, m.Import), in.m)
}

// contentFault makes an error about the content of an archive permanent: reading it again changes nothing.
func contentFault(err error) error {
	var bad *archive.Error
	var none *providers.UnrecognisedError
	switch {
	case errors.As(err, &bad):
		return &fault.Fault{Class: fault.Permanent, Err: err}
	case errors.As(err, &none):
		return &fault.Fault{Class: fault.Permanent, Err: err, Hint: "import the archive as the provider sent it; the README lists what is read"}
	}
	return err
}

// refusedToo adds what the archive itself refused to what was seen in it.
func refusedToo(err error, a *archive.Archive) error {
	if err == nil || len(a.Refused) == 0 {
		return err
	}
	return fmt.Errorf("%w; %d members were refused, the first: %s", err, a.RefusedCount, a.Refused[0].Reason)
}

// CheckImporter tells whether a pinned importer is known.
func CheckImporter(registry *providers.Registry, pin string) error {
	if pin == "" {
		return nil
	}
	if _, err := registry.ByVersion(pin); err == nil {
		return nil
	}
	if _, err := registry.ByName(pin); err == nil {
		return nil
	}
	return fault.Permanentf("`pamline version` lists the importers", "select importer: there is none called %q", pin)
}

// sourceFile is what import_metadata names a member: its path in the archive; for a bare or gzipped file, whose name is
// the person's own and must not show in any output, the name the importer's format gives it.
func sourceFile(a *archive.Archive, rec state.DropRecord, m archive.Member, imp providers.Importer) string {
	name := m.Name
	if len(rec.Parts) > 1 {
		// archive.Open puts the number of the part before names that clash.
		name = strings.TrimPrefix(name, fmt.Sprintf("part-%d/", m.Part+1))
	}
	part := rec.Parts[m.Part]
	base := path.Base(strings.ReplaceAll(part.Name, `\`, "/"))
	own := name == base || name == strings.TrimSuffix(base, path.Ext(base))
	switch {
	case part.Folder:
		return name
	case a.Kind == "file", a.Kind == "gz", a.Kind == "parts" && own && alone(a, m):
		return imp.RestoreFile()
	}
	return name
}

// alone tells whether a member is the only one of its part.
func alone(a *archive.Archive, m archive.Member) bool {
	n := 0
	for _, other := range a.Members {
		if other.Part == m.Part {
			n++
		}
	}
	return n == 1
}
