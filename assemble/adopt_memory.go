package assemble

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pamline/pamline/pamio"
)

// readObject reads a JSON object; numbers keep their text.
func readObject(raw []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var o map[string]any
	if err := d.Decode(&o); err != nil {
		return nil, fmt.Errorf("read element: %w", err)
	}
	return o, nil
}

// canonical writes an object in canonical form.
func canonical(o map[string]any) ([]byte, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("write element: %w", err)
	}
	out, err := pamio.Canonicalize(text)
	if err != nil {
		return nil, fmt.Errorf("write element: %w", err)
	}
	return out, nil
}

// object is a member that is an object; nil for none, which can be read.
func object(o map[string]any, key string) map[string]any {
	inner, _ := o[key].(map[string]any)
	return inner
}

// made is object for writing.
func made(o map[string]any, key string) map[string]any {
	inner, ok := o[key].(map[string]any)
	if !ok {
		inner = map[string]any{}
		o[key] = inner
	}
	return inner
}

// applies are the reasons for which resolution changes the status of an adopted memory: what the
// person did or said. That it is like another, or not sure, is no reason.
var applies = map[string]bool{editReason: true, retractedReason: true, endedReason: true, newerValue: true, oppositeValue: true}

// ofResolution are the members of metadata that say what resolution decided.
var ofResolution = map[string]bool{adoptedKey: true, accessKey: true, "status_reason": true, "status_by": true, "duplicate_of": true}

// mergeOne gives an adopted memory with what is newer in what was resolved of it.
func (d *adopter) mergeOne(raw, resolved []byte, stated, id string) ([]byte, error) {
	r, err := readObject(resolved)
	if err != nil {
		return nil, err
	}
	if raw, err = mergeAccess(raw, r); err != nil {
		return nil, err
	}
	if newest := newestOf(r); !laterTime(newest, stated) || d.isSettled(r, id) {
		return raw, nil
	}
	o, err := readObject(raw)
	if err != nil {
		return nil, err
	}
	was, meta := object(r, "temporal"), object(r, "metadata")
	temporal, own := made(o, "temporal"), made(o, "metadata")
	reason, _ := meta["status_reason"].(string)
	switch {
	case r["status"] == active:
		o["status"] = active
		delete(temporal, "superseded_by")
		delete(own, "status_reason")
		delete(own, "status_by")
	case applies[reason]:
		o["status"] = r["status"]
		delete(temporal, "superseded_by")
		for _, key := range [...]string{"superseded_by", "valid_until"} {
			if v, ok := was[key]; ok {
				temporal[key] = v
			}
		}
		if by, _ := temporal["superseded_by"].(string); d.ids[by] != "" {
			temporal["superseded_by"] = d.ids[by]
		}
		own["status_reason"] = reason
		delete(own, "status_by")
		if by, ok := meta["status_by"]; ok {
			own["status_by"] = by
		}
	}
	created, _ := temporal["created_at"].(string)
	updated, _ := temporal["updated_at"].(string)
	if newest := newestOf(r); laterTime(newest, created) && !laterTime(updated, newest) {
		temporal["updated_at"] = newest
	}
	if until, _ := temporal["valid_until"].(string); until != "" && laterTime(fmt.Sprint(temporal["valid_from"]), until) && temporal["valid_from"] != nil {
		delete(temporal, "valid_until")
	}
	if d.pure[id] {
		return canonical(o)
	}
	for key, v := range meta {
		if _, there := own[key]; !there && !ofResolution[key] && v != adoptedRule {
			own[key] = v
		}
	}
	if evidence, ok := meta["evidence"]; ok {
		own["evidence"] = evidence
	}
	o["tags"] = joinTags(o["tags"], r["tags"])
	if at, ok := object(r, "confidence")["last_reinforced"]; ok {
		if c := object(o, "confidence"); c != nil {
			c["last_reinforced"] = at
		}
	}
	if _, there := o["access"]; !there && r["access"] != nil {
		o["access"] = r["access"]
	}
	return canonical(o)
}

// mergeAccess gives an adopted memory the access that was resolved of it, if somebody set that of it
// or of a duplicate by hand.
func mergeAccess(raw []byte, r map[string]any) ([]byte, error) {
	at, _ := object(r, "metadata")[accessKey].(string)
	if at == "" {
		return raw, nil
	}
	o, err := readObject(raw)
	if err != nil {
		return nil, err
	}
	o["access"] = r["access"]
	if temporal := made(o, "temporal"); laterTime(at, newestOf(o)) {
		temporal["updated_at"] = at
	}
	return canonical(o)
}

// isSettled tells whether resolution puts an adopted memory behind another one of the same export:
// that export has judged both.
func (d *adopter) isSettled(r map[string]any, id string) bool {
	by, _ := object(r, "temporal")["superseded_by"].(string)
	return by != "" && d.pure[id] && d.pure[by] && d.origins[id] == d.origins[by]
}

// newestOf is the newest time that a memory tells.
func newestOf(o map[string]any) (newest string) {
	temporal := object(o, "temporal")
	for _, at := range []any{temporal["created_at"], temporal["updated_at"], object(o, "confidence")["last_reinforced"]} {
		if t, _ := at.(string); laterTime(t, newest) && t != epoch {
			newest = t
		}
	}
	return newest
}

func joinTags(a, b any) []any {
	var set []string
	for _, list := range [...]any{a, b} {
		all, _ := list.([]any)
		for _, t := range all {
			if s, ok := t.(string); ok && !slices.Contains(set, s) {
				set = append(set, s)
			}
		}
	}
	out := make([]any, len(set))
	for i, s := range set {
		out[i] = s
	}
	return out
}
