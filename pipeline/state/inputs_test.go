package state_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

func storeInputs(t *testing.T, s *statetest.Store, in state.Inputs) (state.Head, []string) {
	t.Helper()
	p, err := in.Pack()
	if err != nil {
		t.Fatal(err)
	}
	var written []string
	v := s.View(nil, func(c statetest.Call) error {
		if c.IsWrite() {
			written = append(written, c.Key)
		}
		return nil
	})
	if err := p.Store(t.Context(), locked(v), "ann"); err != nil {
		t.Fatal(err)
	}
	return state.Head{Inputs: p.Digest}, written
}

// locked serializes the hooks of a view: buckets are written in parallel.
func locked(s blob.Store) blob.Store { return &serial{Store: s, turn: make(chan struct{}, 1)} }

func read(t *testing.T, s *statetest.Store, h state.Head) state.Inputs {
	t.Helper()
	in, err := state.ReadInputs(t.Context(), s, "ann", h)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func drop(n int) string { return fmt.Sprintf("%04x%028x", n*7919%65536, n) }

// inputsOf gives a set with everything that a set can hold.
func inputsOf(n int) state.Inputs {
	in := state.NewInputs()
	for i := range n {
		in.Accept(drop(i), 1, fmt.Sprint("import", i), nil)
		switch i % 5 {
		case 1:
			in.Accept(drop(i), 2, fmt.Sprint("other", i), map[string]int{"s1": 0, "s2": 2})
		case 2:
			in.Fail(drop(i), 3)
		case 3:
			in.Accept(drop(i), 2, fmt.Sprint("other", i), nil)
			in.Short[fmt.Sprint("import", i)] = map[string]int{"s": 1}
		case 4:
			in.Erase(drop(i), 4)
		}
	}
	in.AcceptEdits(5, 12)
	return in
}

func TestInputSetsAreReadAsTheyWereStored(t *testing.T) {
	for _, n := range []int{0, 1, 40, 5001} {
		s := statetest.New()
		in := inputsOf(n)
		h, _ := storeInputs(t, s, in)
		got := read(t, s, h)
		if !reflect.DeepEqual(got.Drops, in.Drops) || !reflect.DeepEqual(got.Short, in.Short) || !reflect.DeepEqual(got.Past, in.Past) || got.Edits != 12 || got.V != 1 {
			t.Errorf("%d drops: read another set", n)
		}
		again, written := storeInputs(t, s, got)
		if !reflect.DeepEqual(again, h) || len(written) > 1 {
			t.Errorf("%d drops: stored again as %v, %d writes", n, !reflect.DeepEqual(again, h), len(written))
		}
	}
}

func TestAChangeOfABigSetWritesTheBucketsThatItTouches(t *testing.T) {
	s := statetest.New()
	h, written := storeInputs(t, s, inputsOf(6000))
	if len(written) != 258 { // 256, that of the owner's job, and the list
		t.Errorf("the first time %d writes", len(written))
	}
	in := read(t, s, h).Clone()
	in.Fail(drop(17), 9)
	in.Accept(drop(18), 9, "new", nil)
	next, written := storeInputs(t, s, in)
	if len(written) != 3 || reflect.DeepEqual(next, h) {
		t.Errorf("a change of two drops wrote %v", written)
	}
	if got := read(t, s, h); got.Drops[drop(17)].Gen == 9 {
		t.Error("the set before has changed")
	}
	if got := read(t, s, next); got.Drops[drop(17)].Gen != 9 || len(got.Drops) != 6001 {
		t.Errorf("read %+v", got.Drops[drop(17)])
	}
}

func TestEqualSetsHaveEqualDigests(t *testing.T) {
	a, err := inputsOf(300).Pack()
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if b, err := inputsOf(300).Pack(); err != nil || b.Digest != a.Digest {
			t.Fatal(b.Digest, err)
		}
	}
}

func TestInputsKeepWhatAStoreWasMadeOf(t *testing.T) {
	in := state.NewInputs()
	in.Accept("d", 1, "x", map[string]int{"s": 0})
	in.Accept("d", 2, "y", nil)
	in.Fail("d", 3)
	if e := in.Drops["d"]; e != (state.Entry{Import: "y", Gen: 3, Failed: true}) || !slices.Equal(in.Past["d"], []string{"x"}) || len(in.Short["x"]) != 1 {
		t.Errorf("after a failure: %+v", in)
	}
	before := in.Clone()
	in.Accept("d", 4, "x", map[string]int{"s": 4})
	if !slices.Equal(in.Past["d"], []string{"y"}) || in.Short["x"]["s"] != 4 || before.Short["x"]["s"] != 0 {
		t.Errorf("back: %+v, before %+v", in, before)
	}
	in.Erase("d", 5)
	if in.Drops["d"] != (state.Entry{Gen: 5}) || len(in.Past)+len(in.Short) > 0 || !slices.Equal(before.Past["d"], []string{"x"}) {
		t.Errorf("erased: %+v, before %+v", in, before)
	}
	in.AcceptEdits(1, 3)
	in.AcceptEdits(2, 2)
	if in.Edits != 3 || in.Drops[state.OwnerJob].Gen != 2 {
		t.Errorf("edits: %+v", in)
	}
}

func TestAMissingInputSetIsNoEmptySet(t *testing.T) {
	s := statetest.New()
	if _, err := state.ReadInputs(t.Context(), s, "ann", state.Head{Inputs: "gone"}); fault.Of(err) != fault.Permanent {
		t.Errorf("a missing set: %v", err)
	}
	h, _ := storeInputs(t, s, inputsOf(5001))
	for _, key := range s.Keys("owners/") {
		if !strings.Contains(key, h.Inputs) {
			if err := s.Delete(context.Background(), key); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if _, err := state.ReadInputs(t.Context(), s, "ann", h); fault.Of(err) != fault.Permanent {
		t.Errorf("a missing bucket: %v", err)
	}
	if in, err := state.ReadInputs(t.Context(), s, "ann", state.Head{}); err != nil || len(in.Drops) > 0 {
		t.Errorf("no head: %+v, %v", in, err)
	}
}

// An input set is named by its digest: one that was changed in storage is damaged, and not another
// input set.
func TestAChangedInputSetIsDamaged(t *testing.T) {
	s := statetest.New()
	in := state.NewInputs()
	in.AcceptEdits(1, 1)
	packed, err := in.Pack()
	if err != nil {
		t.Fatal(err)
	}
	if err := packed.Store(t.Context(), s, "ann"); err != nil {
		t.Fatal(err)
	}
	head := state.Head{V: 1, Inputs: packed.Digest}
	if got, err := state.ReadInputs(t.Context(), s, "ann", head); err != nil || got.Edits != 1 {
		t.Fatal(got, err)
	}
	in.AcceptEdits(1, 2)
	body, err := objects.EncodeJSON(in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), state.InputsKey("ann", packed.Digest), bytes.NewReader(body), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := state.ReadInputs(t.Context(), s, "ann", head); fault.Of(err) != fault.Permanent {
		t.Errorf("read a changed input set: %v", err)
	}
}
