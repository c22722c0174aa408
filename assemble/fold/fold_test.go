package fold

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
)

const id = "11111111-1111-5111-8111-111111111111"

// doc makes a conversation of messages written as "id<parent:text". A missing parent is a root;
// without any "<" the messages have no links.
func doc(updated string, messages ...string) *pamio.Conversation {
	c := &pamio.Conversation{
		ID:       id,
		Provider: pamio.Provider{Name: "chatgpt"},
		Temporal: pamio.Span{CreatedAt: "2024-01-01T00:00:00Z", UpdatedAt: updated},
	}
	for _, m := range messages {
		head, body, _ := strings.Cut(m, ":")
		name, parent, _ := strings.Cut(head, "<")
		c.Messages = append(c.Messages, pamio.Message{
			ID: name, Role: "user", CreatedAt: "2024-01-01T00:00:00Z", ParentID: parent,
			Content: &pamio.Content{Type: "text", Text: &body},
		})
	}
	for i := range c.Messages {
		for j := range c.Messages {
			if c.Messages[j].ParentID == c.Messages[i].ID {
				c.Messages[i].ChildrenIDs = append(c.Messages[i].ChildrenIDs, c.Messages[j].ID)
			}
		}
	}
	return c
}

func clone(t testing.TB, c *pamio.Conversation) *pamio.Conversation {
	t.Helper()
	out, err := pamio.ParseConversation(c.AppendJSON(nil))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// folded folds copies of docs with their update times as orders.
func folded(t testing.TB, docs ...*pamio.Conversation) *pamio.Conversation {
	t.Helper()
	var f Folder
	for _, d := range docs {
		if err := f.Add(d.Temporal.UpdatedAt, clone(t, d)); err != nil {
			t.Fatal(err)
		}
	}
	out, _, err := f.Result()
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Check(); err != nil {
		t.Fatalf("%v in %s", err, out.AppendJSON(nil))
	}
	return out
}

func TestEqualSnapshotsFoldToThemselves(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 50 {
		c := random(rng, 1)[0]
		want := c.AppendJSON(nil)
		if got := folded(t, c, c, c).AppendJSON(nil); !bytes.Equal(got, want) {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
}

func TestFoldIgnoresImportMetadata(t *testing.T) {
	a, b := doc("2024-01-02T00:00:00Z", "a"), doc("2024-01-02T00:00:00Z", "a")
	a.Import, b.Import = &pamio.ImportMetadata{SourceFile: "a.json"}, &pamio.ImportMetadata{SourceFile: "b.json"}
	if got := folded(t, a, b); got.Import != nil || got.RawMetadata != nil {
		t.Errorf("got %s", got.AppendJSON(nil))
	}
}

func TestSnapshotsOfOtherConversationsAreRefused(t *testing.T) {
	a, b := doc("2024-01-02T00:00:00Z", "a"), doc("2024-01-02T00:00:00Z", "b")
	b.ID = "22222222-2222-5222-8222-222222222222"
	if _, _, err := Fold([]string{"1", "2"}, []*pamio.Conversation{a, b}); err == nil {
		t.Error("no error")
	}
	if _, _, err := Fold(nil, nil); err == nil {
		t.Error("no error for nothing")
	}
}
