package pipeline

import (
	"bytes"
	"context"
	"maps"

	"github.com/pamline/pamline/blob"
)

// pack is one pack before it is written.
type pack struct {
	header packHeader
	lines  []snapshotLine
	frames []byte
}

// packWriter gathers outcomes in source order (add, flush) and writes a pack whenever one is full (run), while the next is
// being gathered.
type packWriter struct {
	in     *ingest
	next   *pack
	units  int64
	newest map[int]string
	full   chan *pack
	n      int // of the next pack to be written
}

// resume takes over the complete packs of an interrupted run: their counts, shards and the number of units they cover.
func (w *packWriter) resume(ctx context.Context) error {
	w.newest = map[int]string{}
	w.next = &pack{header: packHeader{V: 1}}
	in := w.in
	for {
		h, err := readPackHeader(ctx, in.Store, packListKey(in.m.Owner, in.m.Import, w.n))
		if isMissing(err) {
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
func (w *packWriter) announce(h packHeader) error {
	s := Shard{ID: h.Shard, Pack: w.n, Snapshots: h.Count, Bytes: h.Bytes}
	w.n++
	w.in.m.Counts.add(h.Counts)
	w.in.m.Shards = append(w.in.m.Shards, s)
	return w.in.publish(w.in.m, s)
}

func (w *packWriter) add(ctx context.Context, j *job) error {
	h := &w.next.header
	c := &h.Counts
	w.units++
	c.Units++
	c.Bytes += j.size
	for _, s := range j.result.skips {
		c.skip(s.Code, s.Reason, s.Count)
	}
	if q := j.result.quarantined; q != nil {
		c.Quarantined++
		h.Quarantined = append(h.Quarantined, Quarantined{Archive: w.in.rec.Parts[j.unit.Member.Part].Name, UnitError: *q})
	}
	for _, p := range j.result.snapshots {
		p.line.Offset = int64(len(w.next.frames))
		w.next.frames = append(w.next.frames, p.frame...)
		w.next.lines = append(w.next.lines, p.line)
		h.Bytes += p.line.Size
		c.Conversations++
		c.Messages += p.line.Messages
		c.Leaves.Add(p.snapshot.Loss)
		for code, n := range p.anomalies {
			c.anomaly(code, n)
		}
		if part := j.unit.Member.Part; p.newest > w.newest[part] {
			w.newest[part] = p.newest
		}
	}
	j.result = decoded{}
	if h.Bytes >= w.in.Limits.ShardBytes || c.Units >= int64(w.in.Limits.ShardItems) {
		return w.flush(ctx)
	}
	return nil
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
	w.next = &pack{header: packHeader{V: 1}, frames: make([]byte, 0, len(p.frames))}
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
		if err := w.write(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// write stores the documents first, then the list that makes them count.
func (w *packWriter) write(ctx context.Context, p *pack) error {
	in := w.in
	p.header.Shard = shardID(w.n, p.lines, in.m.Extractors)
	if len(p.lines) > 0 {
		if _, err := in.Store.Put(ctx, packKey(in.m.Owner, in.m.Import, w.n), bytes.NewReader(p.frames), blob.PutOptions{}); err != nil {
			return err
		}
	}
	list, err := encodePackList(p.header, p.lines)
	if err != nil {
		return err
	}
	if _, err := in.Store.Put(ctx, packListKey(in.m.Owner, in.m.Import, w.n), bytes.NewReader(list), blob.PutOptions{}); err != nil {
		return err
	}
	in.Metrics.packed(p.header.Counts)
	return w.announce(p.header)
}
