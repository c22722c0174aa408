package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/known"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
	"github.com/pamline/pamline/providers/importer"
)

// pack is one pack before it is written.
type pack struct {
	header state.PackHeader
	lines  []state.SnapshotLine
	frames []byte
	assets []inlineAsset
	inside int64 // bytes of assets
	// found are the findings in the documents of the pack; unread tells that they are not complete.
	found  state.Findings
	unread bool
	known  []known.Element
}

// packWriter collects outcomes in source order (addUnit, flush) and writes each full pack (run)
// while the next is being collected.
type packWriter struct {
	in     *archiveRun
	next   *pack
	units  int64
	newest map[int]string
	full   chan *pack
	n      int         // of the next pack to be written
	spare  chan []byte // the memory of a written pack
}

// resume takes over the complete packs of an interrupted run: their counts, their shards, and the
// number of units that they cover.
func (w *packWriter) resume(ctx context.Context) error {
	w.newest = map[int]string{}
	w.spare = make(chan []byte, 1)
	w.next = &pack{header: state.PackHeader{V: 1}}
	for {
		list, err := state.OpenPackList(ctx, w.in.Store, w.listKey())
		if objects.IsMissing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		w.in.skip, w.units = list.Units, list.Units
		maps.Copy(w.newest, list.Newest)
		if err := w.announce(list.PackHeader, list.Digest, false); err != nil {
			return err
		}
	}
}

// listKey is the key of the list of the next pack.
func (w *packWriter) listKey() string {
	return state.PackListKey(w.in.m.Owner, w.in.m.Import, w.n)
}

// announce makes a complete pack a shard of the manifest; digest is that of its list.
func (w *packWriter) announce(h state.PackHeader, digest string, extracted bool) error {
	s := state.Shard{ID: h.Shard, Pack: w.n, List: digest, Snapshots: h.Count - h.Records, Records: h.Records, Assets: len(h.Assets), Bytes: h.Bytes}
	w.n++
	w.in.m.Counts.Add(h.Counts)
	w.in.m.Shards = append(w.in.m.Shards, s)
	if w.in.publish == nil {
		return nil
	}
	return w.in.publish(w.in.m, s, extracted)
}

// addUnit adds the outcome of a unit.
func (w *packWriter) addUnit(ctx context.Context, j *element) error {
	h := &w.next.header
	c := &h.Counts
	w.units++
	c.Units++
	c.Bytes += j.size
	for _, s := range j.result.skips {
		c.Skip(s.Code, s.Reason, s.Count)
	}
	for _, q := range j.result.quarantined {
		c.Quarantined++
		h.Quarantined = append(h.Quarantined, state.Quarantined{Archive: w.in.rec.Parts[j.unit.Member.Part].Name, UnitError: q})
	}
	for _, p := range j.result.packed {
		w.next.add(p, j.imp.Version())
		if part := j.unit.Member.Part; p.newest > w.newest[part] {
			w.newest[part] = p.newest
		}
	}
	j.result = decoded{}
	if h.Bytes+w.next.inside >= w.in.Limits.ShardBytes || c.Units >= int64(w.in.Limits.ShardItems) {
		return w.flush(ctx)
	}
	return nil
}

// add adds a snapshot or record and counts it for its importer.
func (p *pack) add(one packed, version string) {
	h, c := &p.header, &p.header.Counts
	one.line.Offset = int64(len(p.frames))
	if len(p.frames) == 0 && len(one.frame) > cap(p.frames) {
		p.frames = one.frame // a large one mostly fills a pack alone
	} else {
		p.frames = append(p.frames, one.frame...)
	}
	if one.known != nil {
		one.known.Number = len(p.lines)
		p.known = append(p.known, *one.known)
	}
	p.lines = append(p.lines, one.line)
	if p.unread = p.unread || one.unread; p.unread {
		p.found = state.Findings{} // the extraction of the shard begins anew
	} else {
		p.found.Add(one.found)
	}
	h.Bytes += one.line.Size
	if one.line.Record != "" {
		h.Records++
		c.Record(one.line.Record, 1)
		c.By(version, state.ImporterCount{Records: 1})
		return
	}
	c.Conversations++
	c.Messages += one.line.Messages
	c.Leaves.Add(one.loss)
	for code, n := range one.anomalies {
		if code == importer.AnomalyUnknownVariant {
			n = min(n, 1) // it is conversations that are counted
		}
		c.Anomaly(code, n)
	}
	for _, a := range one.assets {
		p.assets = append(p.assets, a)
		h.Assets = append(h.Assets, a.file)
		p.inside += a.file.Size
		c.Assets.Add(1, a.file.Size)
	}
	c.By(version, state.ImporterCount{Conversations: 1, Assets: int64(len(one.assets))})
}

// flush hands the pack over to run.
func (w *packWriter) flush(ctx context.Context) error {
	p := w.next
	if p.header.Counts.Units == 0 {
		return nil
	}
	p.header.Units = w.units
	p.header.Newest = maps.Clone(w.newest)
	p.header.Count = len(p.lines)
	// Not of all sources: an archive of many files has many packs.
	p.header.Files = state.SourceFiles{}
	for _, line := range p.lines {
		p.header.Files[line.Source] = w.in.m.Sources[line.Source].File
	}
	w.next = &pack{header: state.PackHeader{V: 1}}
	select {
	case frames := <-w.spare:
		w.next.frames = frames[:0]
	default:
		w.next.frames = make([]byte, 0, min(len(p.frames), int(w.in.Limits.ShardBytes)))
	}
	select {
	case w.full <- p:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run writes the packs in their order.
func (w *packWriter) run(ctx context.Context) error {
	for p := range w.full {
		if err := telemetry.RunStep(ctx, w.in.Tracer, "pack", func(ctx context.Context) error { return w.write(ctx, p) }); err != nil {
			return err
		}
		if int64(cap(p.frames)) <= w.in.Limits.ShardBytes {
			select {
			case w.spare <- p.frames:
			default:
			}
		}
	}
	return nil
}

// errOtherPack tells that another run has written the next pack, with other content: its limits on
// shards differ.
var errOtherPack = errors.New("another run has written this pack")

// write stores the assets, the documents and what later imports can know of them, then the list
// that makes them count.
func (w *packWriter) write(ctx context.Context, p *pack) error {
	in, h := w.in, &p.header
	h.Shard = state.ShardID(w.n, p.lines, in.m.Extractors)
	h.Importers, h.Extractors, h.Embeddings = in.m.Importers, in.m.Extractors, in.m.Embeddings
	items := make([]blob.Item, len(p.assets))
	for i, a := range p.assets {
		items[i] = blob.Item{Key: state.AssetKey(in.m.Owner, a.file.Ref), Body: a.data}
	}
	if err := state.PutAssets(ctx, in.Store, items); err != nil {
		return err
	}
	if len(p.lines) > 0 {
		h.Pack = digestOf(p.frames)
		docs := blob.Item{Key: state.PackKey(in.m.Owner, in.m.Import, h.Pack), Body: p.frames}
		if err := objects.PutNamed(ctx, in.Store, []blob.Item{docs}); err != nil {
			return fmt.Errorf("put pack %d of import %s: %w", w.n, in.m.Import, err)
		}
	}
	if err := w.putKnown(ctx, p); err != nil {
		return err
	}
	list, err := state.EncodePackList(w.listKey(), *h, p.lines)
	if err != nil {
		return err
	}
	digest := digestOf(list)
	written, err := objects.PutOnce(ctx, in.Store, w.listKey(), list)
	if err != nil {
		return fmt.Errorf("put list of pack %d of import %s: %w", w.n, in.m.Import, err)
	}
	if !written {
		stored, err := state.OpenPackList(ctx, in.Store, w.listKey())
		if err != nil {
			return err
		}
		if stored.Digest != digest {
			return errOtherPack
		}
	} else {
		in.Metrics.Packed(h.Counts, in.units().Now)
	}
	extracted, err := w.putFindings(ctx, p)
	if err != nil {
		return err
	}
	return w.announce(*h, digest, extracted)
}

// putKnown writes the known elements of a pack, for later imports.
func (w *packWriter) putKnown(ctx context.Context, p *pack) error {
	if len(p.known) == 0 {
		return nil
	}
	key := known.Key(w.in.m.Owner, w.in.m.Import, w.n)
	body, err := known.Encode(key, known.Header{V: 1, Reading: w.in.reuse.reading, Shard: p.header.Shard}, p.known)
	if err != nil {
		return err
	}
	if _, err := objects.PutOnce(ctx, w.in.Store, key, body); err != nil {
		return fmt.Errorf("put known elements of pack %d of import %s: %w", w.n, w.in.m.Import, err)
	}
	return nil
}

// putFindings writes the result of a pack whose documents have been extracted. Whoever is killed
// before leaves a shard that waits for its extraction.
func (w *packWriter) putFindings(ctx context.Context, p *pack) (extracted bool, err error) {
	in := w.in
	if in.find == nil || p.unread || len(p.lines) == 0 {
		return false, nil
	}
	h, written, err := state.PutFindings(ctx, in.Store, in.m.Owner, in.m.Import, p.header.Shard, p.found)
	if err != nil {
		return false, fmt.Errorf("put result of pack %d of import %s: %w", w.n, in.m.Import, err)
	}
	if written {
		in.Metrics.Found(h.Candidates)
	}
	return true, nil
}

func digestOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
