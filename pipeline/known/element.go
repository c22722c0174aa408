package known

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// Key is the key of the known elements of the n-th pack of an import.
func Key(owner, id string, n int) string {
	return state.ImportKey(owner, id, fmt.Sprintf("known/%06d.zst", n))
}

// Header is the first line of the known elements of a pack.
type Header struct {
	V int `json:"v"`
	// Reading names what decides what becomes of an element, beside the element and its importer.
	Reading string `json:"reading"`
	// Shard is that of the pack.
	Shard string `json:"shard"`
}

// Element is an element of an archive that became one conversation and nothing else.
type Element struct {
	// Digest is the SHA-256 of the element, in hex.
	Digest string `json:"d"`
	// Beside is what else the document was made of (providers.Repeatable).
	Beside string `json:"b,omitempty"`
	// Number is that of the document's line in the list of the pack.
	Number int `json:"l"`
	// Newest, Anomalies and Loss are those of the snapshot.
	Newest    string         `json:"n,omitempty"`
	Anomalies map[string]int `json:"a,omitempty"`
	Loss      normalize.Loss `json:"o"`
	// Candidates, Rejects, Count and Counts are the Findings in the document, unless Unread tells
	// that they are not known.
	Candidates string         `json:"fc,omitempty"`
	Rejects    string         `json:"fr,omitempty"`
	Count      int            `json:"fn,omitempty"`
	Counts     map[string]int `json:"fk,omitempty"`
	Unread     bool           `json:"u,omitempty"`
}

// placed are the keys of candidates and rejects that say where in an archive they are from.
var placed = [][]byte{[]byte(`"member":`), []byte(`"pointer":`)}

// SetFindings keeps the findings in the document, unless they depend on where it stands.
func (e *Element) SetFindings(f state.Findings) {
	for _, lines := range [][]byte{f.Candidates, f.Rejects} {
		isPlaced := slices.ContainsFunc(placed, func(key []byte) bool { return bytes.Contains(lines, key) })
		e.Unread = e.Unread || isPlaced || !utf8.Valid(lines)
	}
	if !e.Unread {
		e.Candidates, e.Rejects, e.Count, e.Counts = string(f.Candidates), string(f.Rejects), f.Count, f.Counts
	}
}

// Findings are the findings in the document; none if it is unread.
func (e *Element) Findings() state.Findings {
	return state.Findings{Candidates: []byte(e.Candidates), Rejects: []byte(e.Rejects), Count: e.Count, Counts: e.Counts}
}

// seal is the last line: the SHA-256 of the key and of the lines before.
const seal = "{\"seal\":\"%s\"}\n"

// Encode writes the known elements of a pack, to be stored under a key.
func Encode(key string, h Header, elements []Element) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(h); err != nil {
		return nil, fmt.Errorf("encode known elements: %w", err)
	}
	for i := range elements {
		if err := e.Encode(&elements[i]); err != nil {
			return nil, fmt.Errorf("encode known elements: %w", err)
		}
	}
	return objects.CompressLines(fmt.Appendf(b.Bytes(), seal, objects.SealOf(key, b.Bytes()))), nil
}

// Read reads the known elements of a pack, and verifies their seal. A missing object is
// blob.ErrNotExist.
func Read(ctx context.Context, s blob.Store, key string) (h Header, elements []Element, err error) {
	var body []byte
	for line, err := range objects.ReadLines(ctx, s, key) {
		if err != nil {
			return h, nil, err
		}
		body = append(body, line...)
	}
	at := bytes.LastIndexByte(bytes.TrimSuffix(body, []byte("\n")), '\n') + 1
	if string(body[at:]) != fmt.Sprintf(seal, objects.SealOf(key, body[:at])) {
		return h, nil, objects.Damaged(key, objects.ErrDamaged)
	}
	d := json.NewDecoder(bytes.NewReader(body[:at]))
	if err := d.Decode(&h); err != nil {
		return h, nil, objects.Damaged(key, err)
	}
	for {
		var one Element
		err := d.Decode(&one)
		if errors.Is(err, io.EOF) {
			return h, elements, nil
		}
		if err != nil {
			return h, nil, objects.Damaged(key, err)
		}
		elements = append(elements, one)
	}
}
