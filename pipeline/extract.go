package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// Marker is what the extraction of a shard leaves behind, once. Fan-in compares the set of markers with the manifest.
type Marker struct {
	V          int            `json:"v"`
	Shard      string         `json:"shard"`
	State      string         `json:"state"` // MarkerOK, MarkerFailed or MarkerAgain
	Reason     string         `json:"reason,omitempty"`
	Candidates int            `json:"candidates"`
	Counts     map[string]int `json:"counts,omitempty"` // what the extractors passed over, by reason
	// Unanswered counts what a service was asked in vain, by reason; Trouble is what it said last, and Hint what to do. The
	// candidates of the others are there.
	Unanswered map[string]int `json:"unanswered,omitempty"`
	Trouble    string         `json:"trouble,omitempty"`
	Hint       string         `json:"hint,omitempty"`
	// Usage is what asking services took.
	Usage extract.Usage `json:"usage,omitzero"`
}

// The states of a marker.
const (
	MarkerOK     = "ok"
	MarkerFailed = "failed"
	MarkerAgain  = "again" // the failed one was taken back: as if there were none. It names no shard
)

// Extract reads the snapshots and records of a shard and writes their candidates, then the marker. Extractors that ask a
// service have their answers recorded first. Run again it finds the marker and does nothing.
func Extract(ctx context.Context, d Deps, t ExtractTask) (Marker, error) {
	m, _, err := extractShard(ctx, d, t)
	return m, err
}

// extractShard is Extract; late tells that the shard had been given up, or was done before, so that it may have been.
func extractShard(ctx context.Context, d Deps, t ExtractTask) (m Marker, late bool, err error) {
	tag, err := readJSON(ctx, d.Store, markerKey(t.Owner, t.Import, t.Shard), &m)
	switch {
	case err == nil && m.State == MarkerOK:
		return m, true, nil
	case ClassOf(err) == Permanent: // it says nothing, and is written anew
		d.Log.Warn("a marker cannot be read; its shard is extracted again", zap.String("owner", t.Owner), zap.String("error", Loggable(err)))
	case err != nil && !isMissing(err):
		return m, false, err
	}
	if m, err = d.extractNow(ctx, t); err != nil {
		return m, false, err
	}
	m, late, err = putMarker(ctx, d.Store, t, tag, m)
	if err == nil {
		d.Metrics.found(m.Candidates)
	}
	return m, late, err
}

// putMarker writes the marker of a shard that is done, in the place of the one with the given ETag. Somebody may have given the
// shard up meanwhile; then that was late, and the marker is in its place. One that says ok stays.
func putMarker(ctx context.Context, s blob.Store, t ExtractTask, tag string, m Marker) (_ Marker, late bool, err error) {
	key := markerKey(t.Owner, t.Import, t.Shard)
	for late = tag != ""; ; late = late || tag != "" {
		if err := swapJSON(ctx, s, key, tag, m); !errors.Is(err, blob.ErrPrecondition) {
			return m, late, err
		}
		var now Marker
		if tag, err = readJSON(ctx, s, key, &now); err != nil && !isMissing(err) && ClassOf(err) != Permanent {
			return m, late, err
		}
		if err == nil && now.State == MarkerOK {
			return now, late, nil
		}
	}
}

// extractNow writes the candidates of a shard and gives its marker.
func (d Deps) extractNow(ctx context.Context, t ExtractTask) (m Marker, err error) {
	selected, err := d.selected(t.Extractors)
	if err != nil {
		// While versions change, a worker of the other one may get it next.
		return m, &Fault{Class: Unit, Err: err, Hint: "the import was begun by workers of another version: if none of them runs any more, replay its drop"}
	}
	list, err := openPackList(ctx, d.Store, packListKey(t.Owner, t.Import, t.Pack))
	if err != nil {
		return m, err
	}
	defer list.close()
	if list.Shard != t.Shard {
		return m, permanent("import the drop again", "extract shard %s: pack %d holds shard %s", t.Shard, t.Pack, list.Shard)
	}
	d.budget = d.shared()
	x := &extraction{Deps: d, task: t, selected: selected, m: Marker{V: 1, Shard: t.Shard, State: MarkerOK, Counts: map[string]int{}}}
	if list.Count == 0 { // only skips and quarantined units
		return x.m, nil
	}
	if !d.Estimate {
		if err := d.step(ctx, "ask", x.ask); err != nil {
			return m, err
		}
	}
	if err := d.step(ctx, "extract shard", func(ctx context.Context) error { return x.read(ctx, list) }); err != nil {
		return m, err
	}
	if err := d.step(ctx, "embed", x.embed); err != nil {
		return m, err
	}
	for _, o := range []struct {
		key   string
		lines []byte
	}{{candidatesKey(t.Owner, t.Import, t.Shard), x.candidates}, {rejectsKey(t.Owner, t.Import, t.Shard), x.rejects}} {
		if err := putLines(ctx, d.Store, o.key, o.lines); err != nil {
			return m, err
		}
	}
	return x.m, nil
}

// extraction is the extraction of one shard.
type extraction struct {
	Deps
	task     ExtractTask
	selected []extract.Extractor
	m        Marker
	// candidates and rejects are JSON lines.
	candidates, rejects []byte
}

// read asks every extractor about every document of the pack.
func (x *extraction) read(ctx context.Context, list *packList) error {
	pack, err := openPack(ctx, x.Store, packKey(x.task.Owner, x.task.Import, x.task.Pack))
	if err != nil {
		return err
	}
	defer pack.close()
	for line, err := range list.lines {
		if err != nil {
			return err
		}
		if !line.Wanted {
			continue
		}
		if err := x.line(ctx, pack, line, fileOf(list.packHeader, line)); err != nil {
			return err
		}
	}
	return nil
}

// line asks about one document, when there is memory for it.
func (x *extraction) line(ctx context.Context, pack *packReader, line snapshotLine, file string) error {
	memory, err := x.budget.admit(ctx, documentWeight*line.Size)
	if err != nil {
		return err
	}
	defer x.budget.release(memory)
	defer pack.forget()
	doc, err := pack.next(line.Offset, line.Length, line.Size)
	if err != nil {
		return err
	}
	if line.Record != "" {
		if err := x.record(doc, file, line.Source); err != nil {
			return fmt.Errorf("extract record of %s: %w", file, err)
		}
		return nil
	}
	if err := x.conversation(ctx, doc, file, line.Source); err != nil {
		return fmt.Errorf("extract conversation %s: %w", line.Conversation, err)
	}
	return nil
}

func fileOf(h packHeader, line snapshotLine) string {
	if line.Source < 0 || line.Source >= len(h.Files) {
		return ""
	}
	return h.Files[line.Source]
}

// conversation takes the candidates of one document, which was read from the member file.
func (x *extraction) conversation(ctx context.Context, doc []byte, file string, source int) error {
	var parsed *pamio.Conversation
	for _, e := range x.selected {
		if !extract.Wants(e, doc) {
			continue
		}
		if parsed == nil {
			var err error
			if parsed, err = pamio.ParseConversation(doc); err != nil {
				return err
			}
		}
		if asking, asks := e.(extract.Asking); asks {
			found, report, err := asking.Read(ctx, parsed, x.answers())
			if err != nil {
				return err
			}
			if x.Estimate && len(report.Failed) > 0 {
				x.m.Usage.Add(asking.Estimate(parsed)) // it is not answered yet, or not as a whole
				report.Failed = nil
			}
			x.take(found, report, file, source)
			continue
		}
		found, report := e.Extract(parsed, doc)
		x.take(found, report, file, source)
	}
	return nil
}

// record takes the candidates of one record, which was read from the member file.
func (x *extraction) record(doc []byte, file string, source int) error {
	r, err := extract.ParseRecord(doc)
	if err != nil {
		return err
	}
	for _, e := range x.selected {
		if r2, ok := e.(extract.RecordExtractor); ok {
			found, report := r2.ExtractRecord(&r)
			for i := range found {
				listIn(&found[i], source)
			}
			x.take(found, report, file, source)
		}
	}
	return nil
}

// take counts what an extractor found and held back, names the member in the evidence of records, and keeps the candidates.
func (x *extraction) take(found []normalize.Candidate, report extract.Report, file string, source int) {
	for reason, n := range report.Skipped {
		x.m.Counts[reason] += n
	}
	for reason, n := range report.Failed {
		x.unanswered(reason, n)
	}
	for i := range report.Rejects {
		if r := &report.Rejects[i]; r.Conversation == "" {
			r.Member = file
		}
		x.rejects = report.Rejects[i].AppendLine(x.rejects)
	}
	extract.Finish(found)
	for i := range found {
		observeIn(&found[i], source)
		if found[i].Act == "" {
			x.m.Candidates++
		}
		for k := range found[i].Evidence {
			if e := &found[i].Evidence[k]; e.Pointer != "" || e.Conversation == "" {
				e.Member = file
			}
		}
		x.candidates = extract.AppendCandidate(x.candidates, &found[i])
	}
}

// packReader reads the documents of one pack.
type packReader struct {
	key   string
	rc    io.ReadCloser
	at    int64
	frame []byte
	doc   []byte
	size  int64 // of the pack
}

func openPack(ctx context.Context, s blob.Store, key string) (*packReader, error) {
	rc, o, err := s.Get(ctx, key, blob.Range{})
	if err != nil {
		return nil, err
	}
	return &packReader{key: key, rc: rc, size: o.Size}, nil
}

// next reads the frame at an offset that is not before the end of the last one; size is that of the document, which is
// valid until the next.
func (p *packReader) next(offset, length, size int64) ([]byte, error) {
	if offset < p.at || length < 0 || offset+length > p.size {
		return nil, permanent("import the drop again", "read pack: its list names bytes %d to %d of %d", offset, offset+length, p.size)
	}
	if _, err := io.CopyN(io.Discard, p.rc, offset-p.at); err != nil {
		return nil, damaged(p.key, err)
	}
	if int64(cap(p.frame)) < length {
		p.frame = make([]byte, length)
	}
	p.frame = p.frame[:length]
	if _, err := io.ReadFull(p.rc, p.frame); err != nil {
		return nil, damaged(p.key, err)
	}
	p.at = offset + length
	doc, err := unpackFrame(p.doc[:0], p.frame, size)
	if err != nil {
		return nil, permanent("import the drop again", "expand snapshot: %w", err)
	}
	p.doc = doc
	return doc, nil
}

// forget lets go of the document read last if it was a large one, whose memory the next ones would hold for nothing.
func (p *packReader) forget() {
	if cap(p.doc) > smallUnit/documentWeight {
		p.doc, p.frame = nil, nil
	}
}

// close ends the reading; what was read is verified already.
func (p *packReader) close() {
	_ = p.rc.Close() // only read
}

// putLines stores lines, or sees to it that there is no object when there are none: an earlier run may have had some.
func putLines(ctx context.Context, s blob.Store, key string, lines []byte) error {
	if len(lines) == 0 {
		return s.Delete(ctx, key)
	}
	_, err := s.Put(ctx, key, bytes.NewReader(compressLines(lines)), blob.PutOptions{})
	return err
}

// compressLines packs the candidates of a shard, which are few and read seldom, as one zstd frame.
func compressLines(lines []byte) []byte { return lineEncoder().EncodeAll(lines, nil) }

var lineEncoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
})
