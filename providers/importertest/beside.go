package importertest

import (
	"bytes"
	"maps"
	"path"
	"testing"

	"github.com/pamline/pamline/providers/importer"
)

// checkBeside holds that the conversation of a unit is the same at another place, if the importer
// says so ([importer.Repeatable]).
func checkBeside(t testing.TB, imp importer.Importer, u importer.Unit, items []importer.Item) {
	t.Helper()
	r, ok := imp.(importer.Repeatable)
	if !ok || len(items) != 1 || items[0].Conversation == nil || items[0].Conversation.Joined {
		return
	}
	want := items[0].Conversation
	moved := u
	moved.Member.Name = path.Join(path.Dir(u.Member.Name), "moved.json")
	moved.Index, moved.Offset = u.Index+1000, u.Offset+1<<20
	name, ok := r.Beside(u, want.Doc.ID)
	if there, same := r.Beside(moved, want.Doc.ID); !ok || !same || there != name {
		return
	}
	again, err := imp.Decode(moved)
	if err != nil || len(again) != 1 || again[0].Conversation == nil {
		t.Errorf("%s#%d: at another place it is no conversation: %v", u.Member.Name, u.Index, err)
		return
	}
	got := again[0].Conversation
	isSame := bytes.Equal(got.Doc.AppendJSON(nil), want.Doc.AppendJSON(nil)) && got.Order == want.Order && got.Newest == want.Newest &&
		maps.Equal(got.Anomalies, want.Anomalies) && got.Loss == want.Loss
	if !isSame {
		t.Errorf("%s#%d: at another place it becomes another conversation, though Beside is %q for both", u.Member.Name, u.Index, name)
	}
}
