package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
)

// The forms of documents leave out what belongs to the moment of publishing, or to the order in
// which drops arrived; all the rest must not depend on what happened.

// headForm has what the head says of the content. Files of other formats have the date of the
// export.
func headForm(h state.Head) []byte {
	h.Formats = maps.Clone(h.Formats)
	for end := range h.Formats {
		h.Formats[end] = state.File{}
	}
	h.Sequence, h.ExportID, h.Store, h.Size, h.EmbeddingsSize, h.EmbeddingsFile, h.Inputs = 0, "", "", 0, 0, "", ""
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
	return withoutMembers(body, "export_id", "export_date", "signature", "created_at", "integrity.signature")
}

// recordForm is a job record without its generation and lane.
func recordForm(body []byte) ([]byte, error) {
	var r job.Record
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	if r.Outcome == job.Refused {
		// A replay of what would be refused again asks for nothing, unless the drop is open just
		// then.
		r.Want = job.Want{Importer: r.Want.Importer}
	}
	r.Gen, r.Want.Lane = 0, ""
	return json.Marshal(r)
}

// inputsForm is an input set without generations, which redrives and crowds of replays raise, and
// without the digests of manifests, which have the names of parts and the lane.
func inputsForm(in state.Inputs) ([]byte, error) {
	in = in.Clone()
	for id, c := range in.Contents {
		c.Manifest = ""
		in.Contents[id] = c
	}
	for drop, e := range in.Drops {
		e.Gen = 0
		in.Drops[drop] = e
	}
	return json.Marshal(in)
}

// receiptForm is a receipt without its generation, without what it changed in the store, which
// depends on what was there before, without what services were asked, and without the names of
// parts: the same bytes came under several.
func receiptForm(body []byte) ([]byte, error) {
	var r state.Receipt
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	for i := range r.Parts {
		r.Parts[i].Name = ""
	}
	r.Gen, r.Store, r.Extraction.Usage = 0, state.StoreChange{}, extract.Usage{}
	form, err := json.Marshal(r)
	return oneName(form), err
}

var seals = regexp.MustCompile(`,?\s*"seal":\s*"[0-9a-f]{64}"`)

// oneName leaves out what tells the names apart under which the same bytes came: whichever came
// first stands in receipts. The seal depends on the name.
func oneName(body []byte) []byte {
	return seals.ReplaceAll(bytes.ReplaceAll(body, []byte(againMark), nil), nil)
}

// manifest counts the shards, and gives a manifest without the names of parts, and without the
// lane, which depends on how many drops of the owner waited. A list names the part in which
// something could not be read, so its digest depends on the name that came first; lists are
// compared themselves.
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
	for i, sh := range m.Shards {
		m.Shards[i].List = ""
		if sh.Snapshots+sh.Records > 0 {
			s.Asked++
		}
	}
	form, err := json.Marshal(m)
	return oneName(form), err
}

// letterForm says what failed, and why.
func letterForm(l job.DeadLetter) string {
	return fmt.Sprintf("%s %s %s/%s/%s %s", l.Kind, l.Class, l.Owner, l.Drop, l.Unit, l.Reason)
}

// withoutMembers leaves top-level members of a JSON object out.
func withoutMembers(body []byte, names ...string) ([]byte, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, err
	}
	for _, name := range names {
		delete(m, name)
	}
	return json.MarshalIndent(m, "", " ")
}
