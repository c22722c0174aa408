package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// Marker is what the extraction of a shard leaves behind, once. Fan-in compares the set of markers with the manifest.
type Marker struct {
	V          int            `json:"v"`
	Shard      string         `json:"shard"`
	State      string         `json:"state"` // MarkerOK or MarkerFailed
	Reason     string         `json:"reason,omitempty"`
	Candidates int            `json:"candidates"`
	Counts     map[string]int `json:"counts,omitempty"` // what the extractors passed over, by reason
}

// The states of a marker.
const (
	MarkerOK     = "ok"
	MarkerFailed = "failed"
)

// Extract reads the snapshots and records of a shard and writes their candidates, then the marker. Run again it finds the marker and
// does nothing.
func Extract(ctx context.Context, d Deps, t ExtractTask) (Marker, error) {
	var m Marker
	if _, err := readJSON(ctx, d.Store, markerKey(t.Owner, t.Import, t.Shard), &m); err == nil && m.State == MarkerOK {
		return m, nil
	} else if err != nil && !isMissing(err) {
		return m, err
	}
	selected, err := d.selected(t.Extractors)
	if err != nil {
		return m, err
	}
	list, err := openPackList(ctx, d.Store, packListKey(t.Owner, t.Import, t.Pack))
	if err != nil {
		return m, err
	}
	defer list.close()
	if list.Shard != t.Shard {
		return m, permanent("import the drop again", "extract shard %s: pack %d holds shard %s", t.Shard, t.Pack, list.Shard)
	}
	m = Marker{V: 1, Shard: t.Shard, State: MarkerOK, Counts: map[string]int{}}
	if list.Count == 0 { // only skips and quarantined units
		return m, putJSON(ctx, d.Store, markerKey(t.Owner, t.Import, t.Shard), m)
	}
	pack, err := openPack(ctx, d.Store, packKey(t.Owner, t.Import, t.Pack))
	if err != nil {
		return m, err
	}
	defer pack.close()
	var out []byte
	for line, err := range list.lines {
		if err != nil {
			return m, err
		}
		if !line.Wanted {
			continue
		}
		doc, err := pack.next(line.Offset, line.Length, line.Size)
		if err != nil {
			return m, err
		}
		file := fileOf(list.packHeader, line)
		if line.Record != "" {
			if out, err = extractRecord(out, doc, file, selected, &m); err != nil {
				return m, fmt.Errorf("extract record of %s: %w", file, err)
			}
			continue
		}
		if out, err = extractOne(out, doc, file, selected, &m); err != nil {
			return m, fmt.Errorf("extract conversation %s: %w", line.Conversation, err)
		}
	}
	packed := compressLines(out)
	if _, err := d.Store.Put(ctx, candidatesKey(t.Owner, t.Import, t.Shard), bytes.NewReader(packed), blob.PutOptions{}); err != nil {
		return m, err
	}
	return m, putJSON(ctx, d.Store, markerKey(t.Owner, t.Import, t.Shard), m)
}

func fileOf(h packHeader, line snapshotLine) string {
	if line.Source < 0 || line.Source >= len(h.Files) {
		return ""
	}
	return h.Files[line.Source]
}

// extractOne appends the candidates of one document, which was read from the member file, as JSON lines.
func extractOne(out, doc []byte, file string, extractors []extract.Extractor, m *Marker) ([]byte, error) {
	var parsed *pamio.Conversation
	for _, e := range extractors {
		if !extract.Wants(e, doc) {
			continue
		}
		if parsed == nil {
			var err error
			if parsed, err = pamio.ParseConversation(doc); err != nil {
				return out, err
			}
		}
		found, report := e.Extract(parsed, doc)
		out = m.take(out, found, report, file)
	}
	return out, nil
}

// extractRecord appends the candidates of one record, which was read from the member file, as JSON lines.
func extractRecord(out, doc []byte, file string, extractors []extract.Extractor, m *Marker) ([]byte, error) {
	r, err := extract.ParseRecord(doc)
	if err != nil {
		return out, err
	}
	for _, e := range extractors {
		if x, ok := e.(extract.RecordExtractor); ok {
			found, report := x.ExtractRecord(&r)
			out = m.take(out, found, report, file)
		}
	}
	return out, nil
}

// take counts what an extractor found, names the member in the evidence of records, and appends the candidates.
func (m *Marker) take(out []byte, found []normalize.Candidate, report extract.Report, file string) []byte {
	for reason, n := range report.Skipped {
		m.Counts[reason] += n
	}
	for i := range found {
		m.Candidates++
		for k := range found[i].Evidence {
			if e := &found[i].Evidence[k]; e.Pointer != "" || e.Conversation == "" {
				e.Member = file
			}
		}
		out = extract.AppendCandidate(out, &found[i])
	}
	return out
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

// close ends the reading; what was read is verified already.
func (p *packReader) close() {
	_ = p.rc.Close() // only read
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
