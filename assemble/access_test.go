package assemble

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

func flagOf(b bool) *bool { return &b }

func TestTheLastSayingOfEachValueCounts(t *testing.T) {
	var a access
	a.edit(&AccessEdit{Visibility: "public", Grants: map[string][]string{"bob": {"write", "read", "read"}, "eve": {"read"}}}, byHand("2024-01-02T00:00:00Z"))
	a.edit(&AccessEdit{Visibility: "shared", Exportable: flagOf(false)}, byHand("2024-01-03T00:00:00Z"))
	a.edit(&AccessEdit{Exportable: flagOf(true), Visibility: "private"}, byHand("2024-01-01T00:00:00Z"))
	a.edit(&AccessEdit{Grants: map[string][]string{"eve": nil}}, byHand("2024-01-04T00:00:00Z"))
	want := &pamio.Access{Visibility: "shared", Exportable: false, SharedWith: []pamio.Grant{{Entity: "bob", Permissions: []string{"read", "write"}}}}
	if got := a.block(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestOfDuplicatesTheMostRestrictiveValueWins(t *testing.T) {
	at := byHand("2024-01-01T00:00:00Z")
	sayings := []*AccessEdit{
		{Visibility: "public", Exportable: flagOf(true), Grants: map[string][]string{"bob": {"read", "write"}, "eve": {"read"}}},
		{Visibility: "shared", Grants: map[string][]string{"bob": {"read", "delete"}, "eve": {}}},
		{Exportable: flagOf(false)},
		{},
	}
	want := &pamio.Access{Visibility: "shared", Exportable: false, SharedWith: []pamio.Grant{{Entity: "bob", Permissions: []string{"read"}}}}
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}} {
		var all access
		for _, i := range order {
			var one access
			one.edit(sayings[i], at)
			packed := one.pack(nil)
			u := unpacker{left: packed}
			u.access(&one)
			all.restrict(&one)
			if u.err != nil {
				t.Fatal(u.err)
			}
		}
		if got := all.block(); !reflect.DeepEqual(got, want) {
			t.Errorf("in the order %v: %+v, want %+v", order, got, want)
		}
	}
	var none access
	if none.block() != nil {
		t.Error("nothing said gives a block")
	}
}

func accessOfMemory(t *testing.T, s store, id string) *pamio.Access {
	t.Helper()
	for _, m := range parseMemories(t, s) {
		if m.ID == id {
			return m.Access
		}
	}
	t.Fatalf("there is no %s: %s", id, s.memories)
	return nil
}

func TestAnAccessEditLeavesTheStatusAlone(t *testing.T) {
	rome := lives("Rome", day1)
	for _, order := range []string{EditRetract, EditArchive, EditConfirm} {
		s := withCandidates(rome)
		s.edits = []Edit{edit(order, rome, day2), {At: day3, Action: EditAccess, Memory: idOf(rome), ID: "a", Access: &AccessEdit{Exportable: flagOf(false)}}}
		got := parseMemories(t, assemble(t, s, Options{}))[0]
		want := map[string]string{EditRetract: retracted, EditArchive: archived, EditConfirm: active}[order]
		if got.Status != want || got.Access == nil || got.Access.Exportable || got.Access.Visibility != "private" || got.Temporal.UpdatedAt != day3 {
			t.Errorf("after %s: %s, %+v, %+v", order, got.Status, got.Access, got.Temporal)
		}
	}
}

func TestAnEditWinsOverTheMarkOfSensitivity(t *testing.T) {
	s := withCandidates()
	s.edits = []Edit{
		{At: day1, Action: EditAdd, Type: "fact", Content: "Has asthma.", Sensitive: "health", ID: "e", Access: &AccessEdit{Visibility: "shared"}},
	}
	if got := parseMemories(t, assemble(t, s, Options{}))[0]; got.Access.Visibility != "shared" || !got.Access.Exportable {
		t.Errorf("%+v", got.Access)
	}
}

func TestAccessOfAdoptedMemories(t *testing.T) {
	closed := adoptMemory("mem/1", "active", "Lives in Rome.", day2, `,"access":{"exportable":false,"shared_with":[],"visibility":"shared"}`)
	plain := adoptMemory("mem/1", "active", "Lives in Rome.", day2, "")
	housed := adoptMemory("mem/1", "active", "Lives in Rome.", day2, inSlot("rome")+`,"access":{"exportable":false,"shared_with":[],"visibility":"shared"}`)
	resides := tell("Resides in Rome.", "residence", "Rome", true, 1, day3)
	open := func(at string) []Edit {
		return []Edit{{At: at, Action: EditAccess, Memory: "mem/1", ID: "e", Access: &AccessEdit{Exportable: flagOf(true), Visibility: "public"}}}
	}
	for name, c := range map[string]struct {
		candidates []normalize.Candidate
		edits      []Edit
		memory     string
		want       *pamio.Access
	}{
		"stays":                          {list(closed), nil, "mem/1", &pamio.Access{Visibility: "shared", SharedWith: []pamio.Grant{}}},
		"a newer edit":                   {list(closed), open(day3), "mem/1", &pamio.Access{Visibility: "public", Exportable: true, SharedWith: []pamio.Grant{}}},
		"an older edit":                  {list(closed), open(day1), "mem/1", &pamio.Access{Visibility: "shared", SharedWith: []pamio.Grant{}}},
		"an edit of one without":         {list(plain), open(day3), "mem/1", &pamio.Access{Visibility: "public", Exportable: true, SharedWith: []pamio.Grant{}}},
		"a memory of the same content":   {list(closed, lives("Rome", day3)), nil, "mem/1", &pamio.Access{Visibility: "shared", SharedWith: []pamio.Grant{}}},
		"a duplicate has that of it too": {list(housed, resides), nil, idOf(resides), &pamio.Access{Visibility: "shared", SharedWith: []pamio.Grant{}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := withCandidates(c.candidates...)
			s.edits = c.edits
			got := assemble(t, s, Options{})
			if a := accessOfMemory(t, got, c.memory); !reflect.DeepEqual(a, c.want) {
				t.Errorf("%+v, want %+v", a, c.want)
			}
			if strings.Contains(got.memories, accessKey) {
				t.Errorf("a mark is left: %s", got.memories)
			}
		})
	}
}
