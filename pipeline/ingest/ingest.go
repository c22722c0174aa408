package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"go.uber.org/zap"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/importer"
)

// Publish is told of each shard as soon as its pack is durable, and of the shards that an
// interrupted run left. A shard that is extracted has its complete result already. Of a drop that
// was read to its end before, the manifest has all shards, and Publish is not called.
type Publish func(m state.Manifest, s state.Shard, extracted bool) error

// EncodeManifest gives a manifest in the form in which it is stored.
func EncodeManifest(m state.Manifest) ([]byte, error) { return state.EncodeManifest(m) }

// maxReadings bounds how often one Ingest begins anew.
const maxReadings = 2 * state.MaxAlso

// Ingest reads a drop into assets and packs of snapshots and records, each written once, and gives
// the manifest that names them. The caller stores it. After an interruption Ingest continues behind
// the last complete pack. If the manifest is stored already, it is returned; if nothing would be
// read in another way than the accepted import was, the archive is not even opened. A drop that
// nothing recognizes, or that cannot be opened, is a fault of class Permanent.
//
// A part that was removed or replaced, before or while it was read, is read at another place of the
// same bytes.
func Ingest(ctx context.Context, o Options, r Request, publish Publish) (state.Manifest, error) {
	extractors, err := state.SelectExtractors(o.Extractors, r.Extractors)
	if err != nil {
		return state.Manifest{}, err
	}
	if o.Unchanged != nil {
		if m, ok, err := o.Unchanged(ctx, r); err != nil || ok {
			return m, err
		}
	}
	rec, err := state.ReadDrop(ctx, o.Store, r.Owner, r.Drop)
	if err != nil {
		return state.Manifest{}, err
	}
	for range maxReadings {
		m, err := o.readAt(ctx, r, rec, extractors, publish)
		switch {
		case err == nil:
			return m, nil
		case errors.Is(err, errOtherPack):
			o.Log.Info("another run packs this drop with other limits; continuing behind its packs", zap.String("owner", r.Owner), zap.String("drop", r.Drop))
			continue
		}
		now, found, bad := relocateDrop(ctx, o.Store, rec, err)
		if bad != nil {
			return m, fmt.Errorf("look for drop %s elsewhere: %w", r.Drop, bad)
		}
		if !found {
			return m, err
		}
		o.Log.Info("a part of a drop is not where it was; reading the same bytes elsewhere", zap.String("owner", r.Owner), zap.String("drop", r.Drop))
		rec = now
	}
	return state.Manifest{}, &fault.Later{After: MovingPause, Why: "the archive, or another run that packs it, does not come to rest"}
}

// readAt is one reading of a drop, at the places that its record names first.
func (o Options) readAt(ctx context.Context, r Request, rec state.DropRecord, extractors []extract.Extractor, publish Publish) (state.Manifest, error) {
	_, opened := telemetry.StartSpan(ctx, o.Tracer, "open archive")
	if r.Stored {
		if err := verifyParts(ctx, o.Store, rec); err != nil {
			opened(err)
			return state.Manifest{}, err
		}
	}
	a, reading, closeDrop, err := openDrop(ctx, o, rec)
	opened(err)
	if err != nil {
		return state.Manifest{}, err
	}
	defer func() {
		if err := closeDrop(); err != nil {
			o.Log.Warn("close archive failed", zap.Error(err))
		}
	}()
	if o.Weigh != nil {
		if err := o.Weigh(UnpackedBytes(a)); err != nil {
			return state.Manifest{}, err
		}
	}
	m, found, err := o.recognize(ctx, r, a, reading, extractors)
	if err != nil {
		return m, err
	}
	before, ok, err := state.ReadManifest(ctx, o.Store, m.Owner, m.Import)
	if err != nil || ok {
		return before, err
	}
	erased, _, err := ledger.Read(ctx, o.Store, m.Owner)
	if err != nil {
		return m, err
	}
	if erased.Has(ledger.Drop, m.Drop) {
		if err := removeCopies(ctx, o.Store, m); err != nil {
			return m, err
		}
		return m, fault.Permanentf("it stays erased; an archive that was made later can be imported", "read drop: this archive was erased at the owner's request")
	}
	run := newArchiveRun(o, m, rec, a, found, extractors, publish, reading)
	run.erased = erased
	if err := telemetry.RunStep(ctx, o.Tracer, "read", run.run); err != nil {
		return m, err
	}
	if !run.m.Counts.Kept() {
		if err := RemoveErasedCopies(ctx, o.Store, run.m); err != nil {
			return m, err
		}
		return m, nothingKept(ctx, o, run.m)
	}
	if run.m.Counts.Skips[ledger.CodeErased].Count > 0 {
		if err := ledger.BlankNames(ctx, o.Store, &run.m); err != nil {
			return m, err
		}
	}
	return run.m, nil
}

// recognize finds the importers of an archive and begins the manifest.
func (o Options) recognize(ctx context.Context, r Request, a *archive.Archive, storage *firstFault, extractors []extract.Extractor) (state.Manifest, *providers.Detection, error) {
	m := state.Manifest{V: 1, Owner: r.Owner, Drop: r.Drop, Lane: r.Lane, Extractors: state.ExtractorVersions(extractors), Embeddings: o.Embeddings}
	if err := CheckImporter(o.Registry, r.Importer); err != nil {
		return m, nil, err
	}
	var err error
	if m.Reading, err = o.Reading(r.Importer); err != nil {
		return m, nil, err
	}
	ctx, recognized := telemetry.StartSpan(ctx, o.Tracer, "recognize")
	found, err := o.Registry.Detect(ctx, a, providers.Options{Importer: r.Importer, Limits: o.units()})
	recognized(err)
	if first := storage.get(); first != nil {
		return m, nil, fmt.Errorf("recognize drop %s: %w", r.Drop, first)
	}
	if err != nil {
		return m, nil, contentFault(refusedToo(err, a))
	}
	for _, f := range found.Claims {
		m.Importers = append(m.Importers, f.Importer.Version())
	}
	if o.Admit != nil {
		if err := o.Admit(m.Importers); err != nil {
			return m, nil, err
		}
	}
	if err := o.checkBases(ctx, r.Owner, found.Claims); err != nil {
		return m, nil, err
	}
	m.Import = state.ImportID(m.Owner, m.Drop, m.Importers, m.Extractors, m.Embeddings, o.Limits)
	return m, found, nil
}

// asSent is the advice about a drop that nothing can be read of.
const asSent = "import the archive as the provider sent it; the README lists what is read"

// withPassword is the advice about a drop that cannot be read without a password.
const withPassword = "unpack the archive with its password and import the unpacked folder"

// contentFault makes an error about the content of an archive permanent: another reading changes
// nothing.
func contentFault(err error) error {
	var bad *archive.Error
	var none *providers.UnrecognizedError
	var refused *importer.RefusedError
	switch {
	case errors.As(err, &bad):
		hint := bad.Hint
		if plain := *bad; err.Error() == bad.Error() { // nothing is around it; the hint is told by itself
			plain.Hint, err = "", &plain
		}
		return &fault.Fault{Class: fault.Permanent, Err: err, Hint: cmp.Or(hint, asSent)}
	case errors.As(err, &refused):
		return &fault.Fault{Class: fault.Permanent, Err: err, Hint: refused.Hint}
	case errors.As(err, &none) && none.Encrypted:
		return &fault.Fault{Class: fault.Permanent, Err: err, Hint: withPassword}
	case errors.As(err, &none) && none.Damaged:
		return &fault.Fault{Class: fault.Permanent, Err: err, Hint: "download the export again: this file is damaged or incomplete"}
	case errors.As(err, &none):
		return &fault.Fault{Class: fault.Permanent, Err: err, Hint: asSent}
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

// sourceFile is the name of a member in import_metadata: its path in the archive. The name of a
// bare or gzipped file is the person's own and must not show in any output: then it is the name
// that the importer's format gives.
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
	case a.Kind == "file", a.Kind == "gz", a.Kind == "parts" && own && isAlone(a, m):
		return imp.RestoreFile()
	}
	return name
}

// isAlone tells whether a member is the only one of its part.
func isAlone(a *archive.Archive, m archive.Member) bool {
	n := 0
	for _, other := range a.Members {
		if other.Part == m.Part {
			n++
		}
	}
	return n == 1
}
