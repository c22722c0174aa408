package pamio

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"testing"

	"github.com/pamline/pamline/pamio/jsonscan"
)

func loadVectors[T any](t *testing.T, name string) (list []T) {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors/" + name)
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil || len(list) == 0 {
		t.Fatalf("%s has %d vectors: %v", name, len(list), err)
	}
	return list
}

func TestChecksumVectors(t *testing.T) {
	for _, v := range loadVectors[struct {
		Note, Memories, Canonical, Checksum string
		Total                               int64 `json:"total_memories"`
	}](t, "checksum.json") {
		d, err := jsonscan.Parse([]byte(v.Memories), 0)
		if err != nil {
			t.Fatal(err)
		}
		var raw [][]byte
		for m := range d.Root().Items() {
			raw = append(raw, m.Raw())
		}
		if got, err := Checksum(raw); err != nil || got != v.Checksum {
			t.Errorf("%s: %s, %v, want %s", v.Note, got, err, v.Checksum)
		}
		doc := `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"ada"},"memories":` + v.Memories + `}`
		if in, _, err := ReadIntegrity(text("store", doc), Limits{}); err != nil || in.Checksum != v.Checksum || in.TotalMemories != v.Total {
			t.Errorf("%s: read as %+v, %v", v.Note, in, err)
		}
	}
}

// refusals are the errors behind the names of the vectors.
var refusals = map[string]error{"unknown-base": ErrUnknownBase, "other-owner": ErrOtherOwner, "not-a-delta": ErrNotDelta, "damaged": ErrDamaged}

func TestMergeVectors(t *testing.T) {
	for _, v := range loadVectors[struct {
		Note      string
		Base      json.RawMessage
		Deltas    []json.RawMessage
		Result    json.RawMessage
		Conflicts []ConflictKind
		Refused   string
	}](t, "merge.json") {
		var out bytes.Buffer
		var deltas []Source
		for _, d := range v.Deltas {
			deltas = append(deltas, text("delta", string(d)))
		}
		r, err := Merge(&out, text("base", string(v.Base)), deltas, MergeOptions{Limits: Limits{Scratch: t.TempDir()}})
		if v.Refused != "" {
			if want := refusals[v.Refused]; want == nil || !errors.Is(err, want) {
				t.Errorf("%s: %v, want %s", v.Note, err, v.Refused)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", v.Note, err)
			continue
		}
		if got, want := value(t, out.String()), value(t, string(v.Result)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", v.Note, out.String(), v.Result)
		}
		var kinds []ConflictKind
		for _, c := range r.Conflicts {
			kinds = append(kinds, c.Kind)
		}
		if len(kinds)+len(v.Conflicts) > 0 && !reflect.DeepEqual(kinds, v.Conflicts) {
			t.Errorf("%s: conflicts %v, want %v", v.Note, kinds, v.Conflicts)
		}
	}
}
