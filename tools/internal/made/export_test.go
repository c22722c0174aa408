package made_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"testing"

	"github.com/pamline/pamline/tools/internal/made"
)

func written(t *testing.T, e made.Export) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := e.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAnExportIsTheSameForItsSeedAndHasWhatIsAskedFor(t *testing.T) {
	e := made.Export{Seed: 3, Conversations: 5, Facts: 2, Pictures: 9 << 20}
	data := written(t, e)
	if !bytes.Equal(data, written(t, e)) {
		t.Error("twice made, it differs")
	}
	list, members := conversations(t, data)
	if members != 3 {
		t.Errorf("%d members, a list and two pictures were expected", members)
	}
	if len(list) != 5 {
		t.Errorf("%d conversations", len(list))
	}
	other, _ := conversations(t, written(t, made.Export{Seed: 4, Conversations: 5}))
	for id := range list {
		if other[id] {
			t.Errorf("another seed has %q, too", id)
		}
	}
}

// Of the export of a later day, all that is not new or longer is the same, byte for byte.
func TestAnExportOfALaterDayHasTheSameElementsAndSomeMore(t *testing.T) {
	elements := func(e made.Export) (all []json.RawMessage) {
		z, err := zip.NewReader(bytes.NewReader(written(t, e)), int64(len(written(t, e))))
		if err != nil {
			t.Fatal(err)
		}
		r, err := z.File[0].Open()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if err := json.NewDecoder(r).Decode(&all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	before := elements(made.Export{Seed: 3, Conversations: 20})
	after := elements(made.Export{Seed: 3, Conversations: 20, Grown: 3})
	same := map[string]bool{}
	for _, e := range before {
		same[string(e)] = true
	}
	kept := 0
	for _, e := range after {
		if same[string(e)] {
			kept++
		}
	}
	if len(after) != 23 || kept != 17 {
		t.Errorf("%d of 20 elements are the same, among %d; want 17 among 23", kept, len(after))
	}
}

// conversations gives the ids of an export, and how many members it has.
func conversations(t *testing.T, data []byte) (ids map[string]bool, members int) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := z.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var list []struct{ ID string }
	if err := json.NewDecoder(r).Decode(&list); err != nil {
		t.Fatal(err)
	}
	ids = map[string]bool{}
	for _, c := range list {
		ids[c.ID] = true
	}
	return ids, len(z.File)
}
