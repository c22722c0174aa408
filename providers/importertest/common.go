package importertest

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
)

// Fixture is a file of the folder testdata under the name that an archive has it by.
func Fixture(t testing.TB, name, fixture string) File {
	t.Helper()
	data, err := os.ReadFile("testdata/" + fixture)
	if err != nil {
		t.Fatal(err)
	}
	return File{Name: name, Data: data}
}

// Read reads an archive of files with the limits that are set by default.
func (f Format) Read(t testing.TB, files ...File) *Result {
	t.Helper()
	return Read(t, f.Importer, importer.Limits{}, files...)
}

// Refuse holds that none of some texts is claimed as a file of a name; each is known by what it is.
func (f Format) Refuse(t *testing.T, name string, texts map[string]string) {
	t.Helper()
	for what, data := range texts {
		if r := f.Read(t, File{Name: name, Data: []byte(data)}); len(r.Claim.Members) != 0 {
			t.Errorf("%s is claimed", what)
		}
	}
}

// Restored holds that an element that is rebuilt from a document has some texts in it.
func (f Format) Restored(t *testing.T, doc *pamio.Conversation, texts ...string) {
	t.Helper()
	back, err := f.Importer.Restore(nil, doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range texts {
		if !strings.Contains(string(back), want) {
			t.Errorf("%s is not in %.600s", want, back)
		}
	}
}

// HasIDs holds that the conversations have some ids, in their order: the rules of ids are frozen.
func (r *Result) HasIDs(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, s := range r.Conversations() {
		got = append(got, s.Doc.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("ids %q, want %q", got, want)
	}
}

// Outline is the roles of the messages, with thoughts and the names of tools that are called.
func Outline(d *pamio.Conversation) string {
	var out []string
	for _, m := range d.Messages {
		role := m.Role
		if m.IsThought {
			role += "(thought)"
		}
		for _, c := range m.ToolCalls {
			role += "(" + c.Name + ")"
		}
		out = append(out, role)
	}
	return strings.Join(out, " ")
}
