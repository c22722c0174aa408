package ingest

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

// packRecord makes a line and a frame of a record: it lies in a pack beside the snapshots of its
// shard.
func (in *archiveRun) packRecord(u providers.Unit, imp providers.Importer, r *providers.Record) (packed, error) {
	stored := extract.Record{
		Kind: r.Kind, Provider: r.Provider, ID: r.ID, Pointer: r.Pointer, Title: r.Title, Text: r.Text,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, AccountID: r.AccountID, Raw: r.Raw,
	}
	if stored.Provider == "" {
		stored.Provider = imp.Name()
	}
	doc := stored.AppendJSON(nil)
	if _, err := extract.ParseRecord(doc); err != nil {
		return packed{}, err
	}
	sum := sha256.Sum256(doc)
	frame := state.PackFrame(nil, doc)
	line := state.SnapshotLine{
		Record: r.Kind, Digest: hex.EncodeToString(sum[:]), Length: int64(len(frame)), Size: int64(len(doc)),
		Source: in.source[u.Member.Index], Position: int64(u.Index), Platform: stored.Provider,
	}
	line.Wanted = extract.IsAdopted(r.Kind)
	for _, e := range in.extractors {
		if _, ok := e.(extract.RecordExtractor); ok {
			line.Wanted = true
		}
	}
	found, unread := in.extractEarly(nil, doc, line)
	return packed{line: line, frame: frame, found: found, unread: unread, newest: max(sortableTime(r.UpdatedAt), sortableTime(r.CreatedAt))}, nil
}

// sortableTime is a time with six digits of a second, as snapshots have theirs; "" for what is no
// time.
func sortableTime(at string) string {
	t, err := pamio.ParseTime(at)
	if at == "" || err != nil {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000Z")
}
