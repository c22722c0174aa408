package copilot_test

import (
	"slices"
	"strings"
	"testing"
)

// A file that grew has the same conversations under the same ids.
func TestAnExportThatGrewKeepsItsIDs(t *testing.T) {
	before := read(t, history)
	after := read(t, strings.Replace(history, "Tea,2026-02-17T14:36:11,AI", "Milk,2026-02-18T10:00:00,Human,new\r\nTea,2026-02-17T14:40:00,AI,more\r\nTea,2026-02-17T14:36:11,AI", 1))
	if len(after.Conversations()) != len(before.Conversations())+1 {
		t.Fatalf("%d conversations", len(after.Conversations()))
	}
	for i, s := range before.Conversations() {
		grown := after.Conversations()[i+1]
		if grown.Doc.ID != s.Doc.ID {
			t.Errorf("conversation %d was %s, is %s", i, s.Doc.ID, grown.Doc.ID)
		}
		for k, m := range s.Doc.Messages {
			if grown.Doc.Messages[k].ID != m.ID {
				t.Errorf("message %d of conversation %d has another id", k, i)
			}
		}
	}
	// An older export, whose answers are cut, has the same ids, too.
	full := read(t, strings.Replace(history, strings.Repeat("x", 100)+"...", strings.Repeat("x", 300), 1))
	was, is := before.Conversations()[2].Doc, full.Conversations()[2].Doc
	if was.ID != is.ID || was.Messages[1].ID != is.Messages[1].ID || !strings.Contains(string(was.Messages[1].RawMetadata), `"truncated":true`) || strings.Contains(string(is.Messages[1].RawMetadata), "truncated") {
		t.Errorf("a cut answer: %s, whole: %s", was.Messages[1].RawMetadata, is.Messages[1].RawMetadata)
	}
}

func TestIDsAreFrozen(t *testing.T) {
	r := format.Read(t, files()...)
	got := []string{}
	for _, s := range r.Conversations() {
		got = append(got, s.Doc.ID+" "+s.Doc.Messages[0].ID)
	}
	frozen := []string{
		"7819342c-16a2-5149-acbb-e268da31b4c0 77ce33c62290281f3d993e00db2d7583",
		"4a028282-0c92-52ab-8fde-7972400e673c 28f11e41f56a4f6c63ee79e5a695956a",
		"680000bc-bca7-5e51-b7b7-ab5d741cce0a c00f4f74472e95a95f57515866d3f205",
		"073ec443-5718-58ea-993e-97e4e9c26be4 868d00a9affb22c4c923ce3f08bcc059",
		"7e8d700b-3af5-59a6-a205-f67ccde24b12 80e9e0843f205da913663f13f2bb010c",
		"d4ec9ece-09bf-5dc9-bca9-91beefd0d65e 22f82d7464accd553f0d36488fc7b523",
		"52d7ed1a-44ca-53f1-99eb-028570ccf555 c117ca55a43561f79c3ebdd6a6b93ff8",
	}
	if !slices.Equal(got, frozen) {
		t.Errorf("the ids are\n%s", strings.Join(got, "\n"))
	}
}
