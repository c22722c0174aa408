package assemble

import (
	"fmt"
	"testing"
)

func TestIndexLinesComeBack(t *testing.T) {
	title := "a \"title\"\n"
	snap := Snapshot{
		Conversation: "c", Order: "o", Digest: "d", Pack: "p", Offset: 1, Length: 2, Size: 5, Position: 3,
		Source:   Source{File: "f", Checksum: "s", ImportedAt: "t", Importer: "i/1.0.0", ImporterVersion: "v"},
		Platform: "chatgpt", Title: &title, CreatedAt: day1, UpdatedAt: day2, Messages: 4, Tags: []string{"a", "b"},
	}
	u := unpacker{left: snap.pack(nil)}
	packed := u.snapshot()
	if packed.Title == nil || *packed.Title != title {
		t.Error("the title is lost")
	}
	packed.Title = snap.Title
	if u.err != nil || fmt.Sprintf("%+v", packed) != fmt.Sprintf("%+v", snap) {
		t.Errorf("got %+v (%v), want %+v", packed, u.err, snap)
	}
	folded := Folded{
		Conversation: "c", Key: "k", Ref: "r", Snapshots: 2, Conflicts: 3,
		Platform: "chatgpt", Title: &title, CreatedAt: day1, UpdatedAt: day2, Messages: 4, Tags: []string{"a"},
	}
	gotFolded, err := ParseFolded(folded.AppendJSON(nil))
	if err != nil {
		t.Fatal(err)
	}
	gotFolded.Title = folded.Title
	if fmt.Sprintf("%+v", gotFolded) != fmt.Sprintf("%+v", folded) {
		t.Errorf("got %+v, want %+v", gotFolded, folded)
	}
	for _, bad := range []string{"", "{", "[]", `{"conversation":1}`} {
		if _, err := ParseFolded([]byte(bad)); err == nil {
			t.Errorf("%q is a fold index line", bad)
		}
	}
}
