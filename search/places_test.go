package search

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/pamline/pamline/pamio"
)

func TestPlacesComeBackAsTheyWere(t *testing.T) {
	const file = 1000
	for _, p := range []places{
		{branches: 1},
		{branches: 1, messages: []pamio.Place{{Start: 10, End: 20}, {Start: 21, End: 400}}},
		{branches: 3, messages: []pamio.Place{{Start: 0, End: 1}, {Start: 1, End: 2}, {Start: 900, End: file}}, first: []int{0, 2, 1}},
	} {
		if got, err := unpackPlaces(p.pack(), file); err != nil || !reflect.DeepEqual(got, p) {
			t.Errorf("%+v: %+v, %v", p, got, err)
		}
	}
	beyond := places{branches: 1, messages: []pamio.Place{{Start: 10, End: file + 1}}}
	if _, err := unpackPlaces(beyond.pack(), file); err == nil {
		t.Error("a place beyond the end of the file")
	}
}

func FuzzUnpackPlaces(f *testing.F) {
	p := places{branches: 2, messages: []pamio.Place{{Start: 3, End: 9}, {Start: 12, End: 30}}, first: []int{0, 1}}
	f.Add(p.pack(), 30)
	f.Add([]byte{1, 0xff, 0xff}, 10)
	f.Fuzz(func(t *testing.T, packed []byte, size int) {
		size &= 1<<30 - 1
		got, err := unpackPlaces(packed, size)
		if err != nil {
			return
		}
		for i, m := range got.messages {
			if m.Start < 0 || m.Start > m.End || m.End > size || got.branchOf(i) < 1 || got.branchOf(i) > max(1, got.branches) {
				t.Errorf("%v of %d bytes, branch %d of %d", m, size, got.branchOf(i), got.branches)
			}
		}
	})
}

// What a search shows of a message is read from its place, with the branch that it is in.
func TestAHitSaysItsBranch(t *testing.T) {
	text := func(s string) *pamio.Content { return &pamio.Content{Type: "text", Text: &s} }
	c := &pamio.Conversation{Messages: []pamio.Message{
		{ID: "q", Role: "user", Content: text("A question"), ChildrenIDs: []string{"one", "two"}},
		{ID: "one", Role: "assistant", ParentID: "q", Content: text("The first answer")},
		{ID: "two", Role: "assistant", ParentID: "q", Content: text("The second answer")},
	}}
	doc, list, err := pamio.ParsePlaced(c.AppendJSON(nil))
	check(t, err)
	p := placesOf(doc, list)
	if got := fmt.Sprint(p.branches, p.branchOf(0), p.branchOf(1), p.branchOf(2)); got != "2 1 1 2" {
		t.Error(got)
	}
}
