package fold

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
)

// outline writes the messages as doc takes them, without text.
func outline(c *pamio.Conversation) string {
	var out []string
	for _, m := range c.Messages {
		s := m.ID
		if m.ParentID != "" {
			s += "<" + m.ParentID
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestArrangement(t *testing.T) {
	const t1, t2, t3 = "2024-01-01T00:00:01Z", "2024-01-01T00:00:02Z", "2024-01-01T00:00:03Z"
	for _, tt := range []struct {
		name string
		docs []*pamio.Conversation
		want string
	}{
		{"grown", []*pamio.Conversation{doc(t1, "a", "b<a"), doc(t2, "a", "b<a", "c<b")}, "a b<a c<b"},
		{"the latest order holds when it is complete",
			[]*pamio.Conversation{doc(t1, "a", "b<a", "c<a"), doc(t2, "a", "c<a", "b<a", "d<c")}, "a c<a b<a d<c"},
		{"a branch that the later one lost comes behind its siblings",
			[]*pamio.Conversation{doc(t1, "a", "x<a", "b<a"), doc(t2, "a", "b<a", "c<b")}, "a b<a c<b x<a"},
		{"the later sibling order wins",
			[]*pamio.Conversation{doc(t1, "a", "x<a", "y<a", "z<a"), doc(t2, "a", "z<a", "x<a")}, "a z<a x<a y<a"},
		{"messages between two stay between them",
			[]*pamio.Conversation{doc(t1, "s", "u<s", "tool<u", "tool2<tool", "v<tool2"), doc(t2, "u", "v<u", "w<v")},
			"s u<s tool<u tool2<tool v<tool2 w<v"},
		{"... seen over several snapshots",
			[]*pamio.Conversation{doc(t1, "a", "b<a", "c<b", "d<c"), doc(t2, "a", "c<a", "d<c"), doc(t3, "a", "d<a")},
			"a b<a c<b d<c"},
		{"a parent that contradicts loses",
			[]*pamio.Conversation{doc(t1, "a", "b<a", "c<b", "x<b"), doc(t2, "a", "b<a", "c<a")}, "a b<a x<b c<a"},
		{"a link into a snapshot without links",
			[]*pamio.Conversation{doc(t1, "a", "b", "c"), doc(t2, "a", "b<a", "d<b")}, "a b<a d<b c<b"},
		{"no links",
			[]*pamio.Conversation{doc(t1, "a", "x", "b", "y"), doc(t2, "a", "b", "c")}, "a x b y c"},
		{"no links, the older begins earlier",
			[]*pamio.Conversation{doc(t1, "o", "a"), doc(t2, "a", "b")}, "o a b"},
		{"nothing in common", []*pamio.Conversation{doc(t1, "a", "b<a"), doc(t2, "c", "d<c")}, "c d<c a b<a"},
		{"contradictions that close a circle",
			[]*pamio.Conversation{doc(t1, "r", "m2<r", "m1<m2"), doc(t2, "r", "m1<r", "m2<m1", "x<m2")}, "r m1<r m2<m1 x<m2"},
		{"a snapshot without messages", []*pamio.Conversation{doc(t1, "a", "b<a"), doc(t2)}, "a b<a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := outline(folded(t, tt.docs...)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestAParentThatLosesIsNoted(t *testing.T) {
	got := folded(t, doc("2024-01-01T00:00:01Z", "a", "b<a", "c<b"), doc("2024-01-01T00:00:02Z", "a", "b<a", "c<a"))
	want := `/messages/2/parent_id="b"@01Z`
	if lost := conflictsOf(t, got); !slices.Contains(lost, want) {
		t.Errorf("conflicts %q, want %s", lost, want)
	}
}

func TestCirclesAcrossSnapshotsAreCut(t *testing.T) {
	// m hangs below n in the latest, n below m in an older one, and neither knows both.
	layouts := []version[*layout]{
		{"1", newLayout(doc("", "m", "n<m").Messages)},
		{"2", newLayout(doc("", "n", "m<n").Messages)},
	}
	tr := newTree([]string{"m", "n"}, layouts)
	tr.parent = map[string]string{"m": "n", "n": "m"}
	tr.cutCycles()
	if tr.parent["m"] != "" || tr.parent["n"] != "m" {
		t.Errorf("parents %v", tr.parent)
	}
	if len(tr.lost["m"]) != 1 {
		t.Errorf("the link that was cut is not noted: %v", tr.lost)
	}
}

func TestDeepThreadsFold(t *testing.T) {
	older, newer := doc("2024-01-02T00:00:00Z"), doc("2024-01-03T00:00:00Z")
	text := "x"
	for i := range 5000 {
		m := pamio.Message{ID: fmt.Sprint("m", i), Role: "user", CreatedAt: "2024-01-01T00:00:00Z", Content: &pamio.Content{Type: "text", Text: &text}}
		if i > 0 {
			m.ParentID = fmt.Sprint("m", i-1)
		}
		if i < 4999 {
			m.ChildrenIDs = []string{fmt.Sprint("m", i+1)}
		}
		older.Messages = append(older.Messages, m)
	}
	newer.Messages = []pamio.Message{{ID: "m0", Role: "user", CreatedAt: "2024-01-01T00:00:00Z"}}
	if got := folded(t, older, newer); len(got.Messages) != 5000 {
		t.Errorf("%d messages", len(got.Messages))
	}
}
