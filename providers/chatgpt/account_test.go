package chatgpt_test

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// accountsOf gives the account of each conversation of a drop, by the conversation's own id.
func accountsOf(t *testing.T, parts ...[]string) map[string]string {
	t.Helper()
	var drop []archive.Part
	for i, files := range parts {
		var buf bytes.Buffer
		w := zip.NewWriter(&buf)
		for k := 0; k < len(files); k += 2 {
			f, err := w.Create(files[k])
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write([]byte(files[k+1])); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		drop = append(drop, archive.Part{Name: string(rune('a'+i)) + ".zip", Source: bytes.NewReader(buf.Bytes())})
	}
	a, err := archive.Open(t.Context(), drop, archive.Limits{}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	out := map[string]string{}
	for _, s := range read(t, a, importer.Limits{}).snapshots {
		out[s.Doc.Provider.ConversationID] = s.Doc.Provider.AccountID
	}
	return out
}

func TestConversationsBelongToTheAccountOfTheirOwnExport(t *testing.T) {
	one, two := "["+conv("one")+"]", "["+conv("two")+"]"
	user := func(id string) string { return `{"id":"` + id + `","email":"x@example.org"}` }
	for _, c := range []struct {
		name     string
		parts    [][]string
		one, two string
	}{
		{"two exports in one drop", [][]string{
			{"conversations.json", one, "user.json", user("user-1")}, {"conversations.json", two, "user.json", user("user-2")},
		}, "user-1", "user-2"},
		{"two exports in one archive", [][]string{
			{"x/user.json", user("user-1"), "y/user.json", user("user-2"), "x/conversations.json", one, "y/conversations.json", two},
		}, "user-1", "user-2"},
		{"one export in two parts", [][]string{
			{"conversations-000.json", one}, {"conversations-001.json", two, "user.json", user("user-1")},
		}, "user-1", "user-1"},
		{"a folder below the account's", [][]string{
			{"user.json", user("user-1"), "list/conversations-000.json", one, "list/conversations-001.json", two},
		}, "user-1", "user-1"},
		{"a folder beside the account's", [][]string{
			{"me/user.json", user("user-1"), "list/conversations-000.json", one, "list/conversations-001.json", two},
		}, "user-1", "user-1"},
		{"an export that names none among several", [][]string{
			{"conversations.json", one}, {"conversations.json", two, "user.json", user("user-2")}, {"conversations.json", "[" + conv("three") + "]", "user.json", user("user-3")},
		}, "", "user-2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := accountsOf(t, c.parts...)
			if got["one"] != c.one || got["two"] != c.two {
				t.Errorf("got %v, want one of %q, two of %q", got, c.one, c.two)
			}
		})
	}
}
