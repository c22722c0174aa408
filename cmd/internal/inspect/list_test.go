package inspect

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestAllMemoriesAreListedByType(t *testing.T) {
	b, _ := bundle(t)
	var out strings.Builder
	n, err := WriteList(&out, Memories(t.Context(), b, t.TempDir(), nil), false)
	if err != nil || n != 2 {
		t.Fatal(n, err)
	}
	contains(t, out.String(), "fact\n  ", "preference\n  aaaaaaaa  2025-03-01  Likes tea more than coffee.\n")
}

func TestAllConversationsAreListedByTime(t *testing.T) {
	b, _ := bundle(t)
	var out strings.Builder
	n, err := WriteList(&out, Conversations(t.Context(), b, t.TempDir(), false, nil), true)
	if err != nil || n != 3 {
		t.Fatal(n, err)
	}
	var list []Conversation
	if err := json.Unmarshal([]byte(out.String()), &list); err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(list, func(a, b Conversation) int { return strings.Compare(a.Created, b.Created) }) {
		t.Errorf("not by time: %s", out.String())
	}
	if list[0].ID == "" || list[0].Messages == 0 || !strings.HasPrefix(list[0].File, "conversations/") {
		t.Errorf("got %+v", list[0])
	}
}

func TestAnEmptyListIsAnEmptyArray(t *testing.T) {
	var out strings.Builder
	n, err := WriteList(&out, func(func(Memory, error) bool) {}, true)
	if n != 0 || err != nil || out.String() != "[]\n" {
		t.Errorf("%d, %v, %q", n, err, out.String())
	}
}

func TestAListStopsAtAnUnreadableStore(t *testing.T) {
	broken := errors.New("broken")
	n, err := WriteList(new(strings.Builder), func(yield func(Memory, error) bool) {
		_ = yield(Memory{ID: "a"}, nil) && yield(Memory{}, broken)
	}, false)
	if n != 1 || !errors.Is(err, broken) {
		t.Errorf("%d, %v", n, err)
	}
}

func TestAListMayBeLeftEarly(t *testing.T) {
	b, _ := bundle(t)
	for c, err := range Conversations(t.Context(), b, t.TempDir(), false, nil) {
		if err != nil || c.ID == "" {
			t.Error(c, err)
		}
		break
	}
}
