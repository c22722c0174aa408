package state

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/objects"
)

// ResultHeader is the first line of the result of a shard. The candidates follow, one line each.
// Results are written once: the complete one at [CompleteKey], a partial one of a generation at
// [PartialKey].
type ResultHeader struct {
	V     int    `json:"v"`
	Shard string `json:"shard"`
	// Candidates counts the candidates that stand for memories.
	Candidates int `json:"candidates"`
	// Counts are the candidates that the gate held back, by reason.
	Counts map[string]int `json:"counts,omitempty"`
	// Unanswered counts the questions that a service did not answer, by reason; none in a complete
	// result. Trouble says what the service said, and Hint what to do.
	Unanswered map[string]int `json:"unanswered,omitempty"`
	Trouble    string         `json:"trouble,omitempty"`
	Hint       string         `json:"hint,omitempty"`
	// Usage is what asking services took.
	Usage extract.Usage `json:"usage,omitzero"`
	// Rejects and Vectors are the digests of the side objects (RejectsKey, VectorsKey); "" for
	// none.
	Rejects string `json:"rejects,omitempty"`
	Vectors string `json:"vectors,omitempty"`
}

// IsComplete tells whether services have answered everything.
func (h ResultHeader) IsComplete() bool { return len(h.Unanswered) == 0 }

// Find gives what the extractors of an import make of one document: a conversation, with its JSON,
// or the JSON of a record if conversation is nil. Source and file are those of its line in a pack.
type Find func(conversation *pamio.Conversation, doc []byte, source int, file string) (Findings, error)

// Findings are what extractors make of documents, for the result of their shard.
type Findings struct {
	// Candidates and Rejects are JSON lines.
	Candidates, Rejects []byte
	// Count is that of the candidates that stand for memories.
	Count int
	// Counts are the candidates that the gate held back, by reason.
	Counts map[string]int
}

// Add appends the findings in later documents.
func (f *Findings) Add(later Findings) {
	f.Candidates, f.Rejects = append(f.Candidates, later.Candidates...), append(f.Rejects, later.Rejects...)
	f.Count += later.Count
	for reason, n := range later.Counts {
		f.CountReject(reason, n)
	}
}

// CountReject counts candidates that the gate held back.
func (f *Findings) CountReject(reason string, n int) {
	if f.Counts == nil {
		f.Counts = map[string]int{}
	}
	f.Counts[reason] += n
}

// PutFindings writes the complete result of a shard about whose documents no service is asked,
// once, and its rejects before. If there is a result already, written is false.
func PutFindings(ctx context.Context, s blob.Store, owner, id, shard string, f Findings) (h ResultHeader, written bool, err error) {
	h = ResultHeader{V: 1, Shard: shard, Candidates: f.Count, Counts: f.Counts}
	if h.Rejects, err = PutRejects(ctx, s, owner, id, f.Rejects); err != nil {
		return h, false, err
	}
	written, err = PutResult(ctx, s, CompleteKey(owner, id, shard), h, f.Candidates)
	return h, written, err
}

// PutRejects writes the rejects of a shard, which its result names by their digest.
func PutRejects(ctx context.Context, s blob.Store, owner, id string, lines []byte) (digest string, err error) {
	return PutLines(ctx, s, func(digest string) string { return RejectsKey(owner, id, digest) }, lines)
}

// RejectsKey is the key of the candidates that the gate held back, by the digest of the object:
// their places, without their words.
func RejectsKey(owner, id, digest string) string {
	return ImportKey(owner, id, "rejects/"+digest+".zst")
}

// VectorsKey is the key of the vectors of a result, by the digest of the object.
func VectorsKey(owner, id, digest string) string {
	return ImportKey(owner, id, "vectors/"+digest+".zst")
}

// PutLines writes a side object once, compressed, and gives its digest; "" if there are no lines.
func PutLines(ctx context.Context, s blob.Store, key func(digest string) string, lines []byte) (string, error) {
	if len(lines) == 0 {
		return "", nil
	}
	body := objects.CompressLines(lines)
	sum := sha256.Sum256(body)
	digest := hex.EncodeToString(sum[:])
	_, err := objects.PutOnce(ctx, s, key(digest), body)
	return digest, err
}

// PutResult writes a result once. If there is one already, written is false.
func PutResult(ctx context.Context, s blob.Store, key string, h ResultHeader, candidates []byte) (written bool, err error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(h); err != nil {
		return false, fmt.Errorf("encode result: %w", err)
	}
	b.Write(candidates)
	return objects.PutOnce(ctx, s, key, objects.CompressLines(b.Bytes()))
}

// ReadResultHeader gives the header of a result, after the whole result was read. A missing result
// is blob.ErrNotExist.
func ReadResultHeader(ctx context.Context, s blob.Store, key string) (h ResultHeader, err error) {
	first := true
	for line, err := range objects.ReadLines(ctx, s, key) {
		if err == nil && first {
			first = false
			err = decodeHeader(key, line, &h)
		}
		if err != nil {
			return h, err
		}
	}
	if first {
		return h, objects.Damaged(key, errNoHeader)
	}
	return h, nil
}

var errNoHeader = fmt.Errorf("the result has no header")

func decodeHeader(key string, line []byte, h *ResultHeader) error {
	if err := json.Unmarshal(line, h); err != nil {
		return objects.Damaged(key, err)
	}
	if h.V != 1 {
		return objects.Damaged(key, fmt.Errorf("version %d is unknown", h.V))
	}
	return nil
}

// Result is a result that an input set names.
type Result struct {
	Key   string
	Shard string
	// Digest is that of the object, as the input set has it; if the set does not know it yet, Lines
	// sets it at the end.
	Digest string
	// Header is known after the first line.
	Header ResultHeader
}

// Lines gives the candidates of the result, which are valid until the next. A missing result and
// one of other content are faults of class Permanent.
func (r *Result) Lines(ctx context.Context, s blob.Store) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		first := true
		for line, err := range objects.ReadVerifiedLines(ctx, s, r.Key, &r.Digest) {
			switch {
			case objects.IsMissing(err):
				err = objects.Lost(r.Key, err)
			case err == nil && first:
				first = false
				if err = decodeHeader(r.Key, line, &r.Header); err == nil && r.Header.Shard != r.Shard {
					err = objects.Damaged(r.Key, fmt.Errorf("it is of shard %s", r.Header.Shard))
				}
				if err == nil {
					continue
				}
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
		if first {
			yield(nil, objects.Damaged(r.Key, errNoHeader))
		}
	}
}

// ResultOf gives the result that stands for a shard in an input set; nil if none does.
func (in Inputs) ResultOf(m Manifest, s Shard) *Result {
	gen, short := in.Short[m.Import][s.ID]
	r := &Result{Key: CompleteKey(m.Owner, m.Import, s.ID), Shard: s.ID, Digest: in.Contents[m.Import].Results[s.ID]}
	switch {
	case s.IsEmpty(), short && gen == 0:
		return nil
	case short:
		r.Key = PartialKey(m.Owner, m.Import, s.ID, gen)
	}
	return r
}

// RestrictedPrefix begins the counts of memories of PAM stores that were made private, by the
// reason of the gate.
const RestrictedPrefix = "restricted-"
