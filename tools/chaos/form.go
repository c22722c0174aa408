package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/state"
)

// The forms of documents leave out what belongs to the moment of publishing, or to the order in which drops arrived; all the
// rest must not depend on what happened.

// headForm has what the head says of the content.
func headForm(h state.Head) []byte {
	h.Sequence, h.ExportID, h.Store, h.Size, h.EmbeddingsSize = 0, "", "", 0, 0
	body, err := json.Marshal(h)
	if err != nil {
		panic(err) // plain values have a JSON form
	}
	return body
}

// documentForm is a store or its vectors without id and date of the export.
func documentForm(kind string, body []byte) ([]byte, error) {
	if kind != "json" && kind != "embeddings.json" {
		return body, nil
	}
	return without(body, "export_id", "export_date", "signature", "created_at", "integrity.signature")
}

// receiptForm is a receipt without what it changed in the store, which depends on what was there before, without what services
// were asked, and without the names of parts: the same bytes came under several.
func receiptForm(body []byte) (form []byte, published bool, err error) {
	var r state.Receipt
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, false, err
	}
	for i := range r.Parts {
		r.Parts[i].Name = ""
	}
	published = r.Store.Published
	r.Store = state.StoreChange{}
	r.Extraction.Usage = extract.Usage{}
	form, err = json.Marshal(r)
	return oneName(form), published, err
}

// oneName leaves out what tells the names apart under which the same bytes came: whichever came first stands in receipts.
func oneName(body []byte) []byte { return bytes.ReplaceAll(body, []byte(againMark), nil) }

// manifest counts the shards, and gives a manifest without the names of parts, and without the lane, which depends on how many
// drops of the owner waited.
func (s *State) manifest(body []byte) ([]byte, error) {
	var m state.Manifest
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, err
	}
	for i := range m.Parts {
		m.Parts[i].Name = ""
	}
	m.Lane = ""
	s.Shards += len(m.Shards)
	for _, sh := range m.Shards {
		if sh.Snapshots+sh.Records > 0 {
			s.Asked++
		}
	}
	form, err := json.Marshal(m)
	return oneName(form), err
}

// letterForm says what was given up, and why.
func letterForm(l pipeline.DeadLetter) string {
	subject := strings.NewReplacer("."+state.LaneBulk+".", ".", "."+state.LaneSmall+".", ".").Replace(l.Subject)
	return fmt.Sprintf("%s %s %s %s", l.Stage, l.Class, subject, l.Reason)
}

// without leaves top-level members of a JSON object out.
func without(body []byte, names ...string) ([]byte, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, err
	}
	for _, name := range names {
		delete(m, name)
	}
	return json.MarshalIndent(m, "", " ")
}
