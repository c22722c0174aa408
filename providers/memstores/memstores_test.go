package memstores_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/memstores"
)

// of is the importer of a provider.
func of(t testing.TB, provider string) importer.Importer {
	t.Helper()
	for _, imp := range memstores.New() {
		if imp.Name() == provider {
			return imp
		}
	}
	t.Fatal("no importer of " + provider)
	return nil
}

var fixtures = map[string]string{"mem0.json": "mem0", "letta.af": "letta", "zep.json": "zep", "langmem.json": "langmem", "openmemory.json": "openmemory", "list.json": "memory-list"}

// TestRecordsOfEachFormat: what becomes of each element, with its id, state and times.
func TestRecordsOfEachFormat(t *testing.T) {
	for name, provider := range fixtures {
		t.Run(name, func(t *testing.T) {
			imp := of(t, provider)
			r := importertest.Read(t, imp, importer.Limits{}, importertest.Fixture(t, "export/"+name, name))
			importertest.Format{Importer: imp, NoInverse: true}.Check(t, r)
			var b strings.Builder
			for _, rec := range r.Records() {
				fmt.Fprintf(&b, "%s %s id=%q title=%q created=%q updated=%q account=%q\n  text %q\n", rec.Kind, rec.Pointer, rec.ID, rec.Title, rec.CreatedAt, rec.UpdatedAt, rec.AccountID, rec.Text)
				if rec.Kind == importer.RecordPAMMemory {
					fmt.Fprintf(&b, "  %s\n", rec.Raw)
				}
			}
			for code, n := range r.Skips() {
				fmt.Fprintf(&b, "skipped %d %s\n", n, code)
			}
			for _, bad := range r.Quarantined() {
				t.Error(bad)
			}
			importertest.Golden(t, "testdata/"+name+".golden", b.String())
		})
	}
}

// TestEachFormatIsToldFromTheOthers: no file is claimed by another importer of the table that is
// asked before its own.
func TestEachFormatIsToldFromTheOthers(t *testing.T) {
	for name, provider := range fixtures {
		m := importertest.Open(t, importertest.Pack(t, importertest.Fixture(t, "x", name))).Members
		for _, imp := range memstores.New() {
			c, err := imp.Claim(t.Context(), m, importertest.Peek, importer.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Members) > 0 {
				if imp.Name() != provider {
					t.Errorf("%s is claimed by %s", name, imp.Name())
				}
				break
			}
		}
	}
}

func TestTalkAndOtherListsAreNoMemories(t *testing.T) {
	for _, text := range []string{
		`[{"role":"user","content":"I like tea","confidence":1}]`, `{"messages":[{"text":"hi"}]}`, `[{"text":"a caption","width":3}]`, `["a","b"]`,
		`{"memories":[{"speaker":"x","text":"y"}]}`, `[{"id":1,"name":"x"}]`, `{"items":[{"content":"x","id":"1"}]}`,
	} {
		m := []archive.Member{importertest.Open(t, importertest.Pack(t, importertest.File{Name: "x.json", Data: []byte(text)})).Members[0]}
		for _, imp := range memstores.New() {
			if c, err := imp.Claim(t.Context(), m, importertest.Peek, importer.Limits{}); err != nil || len(c.Members) > 0 {
				t.Errorf("%s is claimed by %s, %v", text, imp.Name(), err)
			}
		}
	}
}

func TestABadElementSpoilsOnlyItself(t *testing.T) {
	r := importertest.Read(t, of(t, "mem0"), importer.Limits{}, importertest.File{Name: "x.json", Data: []byte(`[{"id":"1","memory":"Likes tea","hash":"a"},{"id":"2","memory":"` + "\xff" + `","hash":"b"},{"id":"3","memory":"Likes pie","hash":"c"}]`)})
	if got := len(r.Records()); got != 3 && got != 2 || len(r.Records())+len(r.Quarantined()) != 3 {
		t.Errorf("%d records, %v", got, r.Quarantined())
	}
}

func FuzzElements(f *testing.F) {
	for name := range fixtures {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, imp := range memstores.New() {
			r := importertest.Read(t, imp, importer.Limits{}, importertest.File{Name: "x.json", Data: text})
			importertest.Format{Importer: imp, NoInverse: true}.Check(t, r)
		}
	})
}
