package ingest

import (
	"bytes"
	"context"
	"maps"

	"github.com/pamline/pamline/blob"
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
}

// packWriter gathers outcomes in source order (add, flush) and writes a pack whenever one is full (run), while the next is
// being gathered.
type packWriter struct {
	in     *archiveRun
	next   *pack
	units  int64
	newest map[int]string
	full   chan *pack
	n      int // of the next pack to be written
}

// resume takes over the complete packs of an interrupted run: their counts, shards and the number of units they cover.
func (w *packWriter) resume(ctx context.Context) error {
	w.newest = map[int]string{}
	w.next = &pack{header: state.PackHeader{V: 1}}
	in := w.in
	for {
		h, err := state.ReadPackHeader(ctx, in.Store, state.PackListKey(in.m.Owner, in.m.Import, w.n))
		if state.IsMissing(err) {
			if w.n == 0 && in.Fresh != nil {
				in.Fresh()
			}
			return nil
		}
		if err != nil {
			return err
		}
		in.skip, w.units = h.Units, h.Units
		maps.Copy(w.newest, h.Newest)
		if err := w.announce(h); err != nil {
			return err
		}
	}
}

// announce makes a complete pack a shard of the manifest.
func (w *packWriter) announce(h state.PackHeader) error {
	s := state.Shard{ID: h.Shard, Pack: w.n, Snapshots: h.Count - h.Records, Records: h.Records, Assets: len(h.Assets), Bytes: h.Bytes}
	w.n++
	w.in.m.Counts.Add(h.Counts)
	w.in.m.Shards = append(w.in.m.Shards, s)
	return w.in.publish(w.in.m, s)
}

func (w *packWriter) Add(ctx context.Context, j *job) error {
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
		w.next.take(p, j.imp.Version())
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

// take adds a snapshot or record and counts it for its importer.
func (p *pack) take(one packed, version string) {
	h, c := &p.header, &p.header.Counts
	one.line.Offset = int64(len(p.frames))
	if len(p.frames) == 0 && len(one.frame) > cap(p.frames) {
		p.frames = one.frame // a large one mostly fills a pack alone
	} else {
		p.frames = append(p.frames, one.frame...)
	}
	p.lines = append(p.lines, one.line)
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
	for _, src := range w.in.m.Sources {
		p.header.Files = append(p.header.Files, src.File)
	}
	w.next = &pack{header: state.PackHeader{V: 1}, frames: make([]byte, 0, min(len(p.frames), int(w.in.Limits.ShardBytes)))}
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
	}
	return nil
}

// write stores the assets and the documents first, then the list that makes them count.
func (w *packWriter) write(ctx context.Context, p *pack) error {
	in := w.in
	p.header.Shard = state.ShardID(w.n, p.lines, in.m.Extractors)
	items := make([]blob.Item, len(p.assets))
	for i, a := range p.assets {
		items[i] = blob.Item{Key: state.AssetKey(in.m.Owner, a.file.Ref), Body: a.data}
	}
	if err := state.PutAssets(ctx, in.Store, items); err != nil {
		return err
	}
	if len(p.lines) > 0 {
		if _, err := in.Store.Put(ctx, state.PackKey(in.m.Owner, in.m.Import, w.n), bytes.NewReader(p.frames), blob.PutOptions{}); err != nil {
			return err
		}
	}
	list, err := state.EncodePackList(p.header, p.lines)
	if err != nil {
		return err
	}
	if _, err := in.Store.Put(ctx, state.PackListKey(in.m.Owner, in.m.Import, w.n), bytes.NewReader(list), blob.PutOptions{}); err != nil {
		return err
	}
	in.Metrics.Packed(p.header.Counts)
	return w.announce(p.header)
}
