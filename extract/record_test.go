package extract

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/pamline/pamline/pamio"
)

func TestRecordRoundTripsAndIsJSON(t *testing.T) {
	whole := Record{
		Kind: RecordProject, Provider: "claude", ID: "p-1", Pointer: "/0/a~1b", Title: "Oven \"one\"", Text: "Žluťoučký\nkůň",
		CreatedAt: "2025-01-01T00:00:00Z", UpdatedAt: "2025-01-02T00:00:00Z", AccountID: "acc", Raw: pamio.RawJSON(`{"a":[1.0,null,{"b":1e2}]}`),
	}
	for _, r := range []Record{whole, {Kind: RecordMemory, Provider: "chatgpt"}} {
		text := r.AppendJSON([]byte("before"))
		text = bytes.TrimPrefix(text, []byte("before"))
		if !json.Valid(text) {
			t.Fatalf("no JSON: %s", text)
		}
		back, err := ParseRecord(text)
		if err != nil || !reflect.DeepEqual(back, r) {
			t.Errorf("%+v came back as %+v (%v)", r, back, err)
		}
	}
	for _, bad := range []string{"", "{", "[]", `{"provider":"x"}`, `{"kind":"memory","raw":}`} {
		if _, err := ParseRecord([]byte(bad)); !errors.Is(err, ErrRecord) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParseRecord(f *testing.F) {
	f.Add([]byte(`{"kind":"memory","provider":"claude","text":"x","raw":{"a":1}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ParseRecord(text)
		if err != nil {
			return
		}
		again, err := ParseRecord(r.AppendJSON(nil))
		if err != nil || again.Kind != r.Kind || again.Text != r.Text || !bytes.Equal(again.Raw, r.Raw) {
			t.Fatalf("%+v came back as %+v (%v)", r, again, err)
		}
	})
}
