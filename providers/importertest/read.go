// Package importertest holds every importer to the promises of the contract: whatever it is given,
// a unit is quarantined with a reason or becomes a sound document that accounts for every value and
// gives its source back. An importer's tests are a list of files and a call of [Format.Check],
// [Format.Coverage], [Format.Mutate], [Format.Damage] and [Format.Fuzz].
package importertest

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// File is one member of an archive.
type File struct {
	Name string
	Data []byte
}

// Unit is what became of one unit.
type Unit struct {
	importer.Unit
	Items []importer.Item
	// Bad is why the unit was quarantined, nil when it was not.
	Bad *importer.UnitError
}

// Result is what an importer made of an archive.
type Result struct {
	Claim importer.Claim
	Units []Unit
}

// Conversations are the snapshots of all units, in order.
func (r *Result) Conversations() []*importer.Snapshot {
	var out []*importer.Snapshot
	for _, u := range r.Units {
		for _, i := range u.Items {
			if i.Conversation != nil {
				out = append(out, i.Conversation)
			}
		}
	}
	return out
}

// Records are those of all units, in order.
func (r *Result) Records() []*importer.Record {
	var out []*importer.Record
	for _, u := range r.Units {
		for _, i := range u.Items {
			if i.Record != nil {
				out = append(out, i.Record)
			}
		}
	}
	return out
}

// Skips sums what was not kept, by code.
func (r *Result) Skips() map[string]int {
	out := map[string]int{}
	for _, u := range r.Units {
		for _, i := range u.Items {
			if i.Skip != nil {
				out[i.Skip.Code] += i.Skip.Count
			}
		}
	}
	return out
}

// Quarantined are the units that could not be read.
func (r *Result) Quarantined() []*importer.UnitError {
	var out []*importer.UnitError
	for _, u := range r.Units {
		if u.Bad != nil {
			out = append(out, u.Bad)
		}
	}
	return out
}

// Pack makes a zip of files.
func Pack(t testing.TB, files ...File) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, f := range files {
		m, err := w.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Write(f.Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// Files are what pairs of a name and a content tell.
func Files(pairs ...string) (files []File) {
	for i := 0; i < len(pairs); i += 2 {
		files = append(files, File{Name: pairs[i], Data: []byte(pairs[i+1])})
	}
	return files
}

// Open opens archives, given as bytes, as the parts of one drop, until the end of the test.
func Open(t testing.TB, parts ...[]byte) *archive.Archive {
	t.Helper()
	var in []archive.Part
	for i, p := range parts {
		in = append(in, archive.Part{Name: "part-" + string(rune('a'+i)), Source: bytes.NewReader(p)})
	}
	a, err := archive.Open(t.Context(), in, archive.Limits{}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// Read has an importer read files as one archive. Errors of the importer other than quarantined
// units fail the test.
func Read(t testing.TB, imp importer.Importer, limits importer.Limits, files ...File) *Result {
	t.Helper()
	return ReadParts(t, imp, limits, Pack(t, files...))
}

// ReadParts has an importer read archives, given as bytes, as the parts of one drop.
func ReadParts(t testing.TB, imp importer.Importer, limits importer.Limits, parts ...[]byte) *Result {
	t.Helper()
	a := Open(t, parts...)
	if limits.Scratch == "" {
		limits.Scratch = t.TempDir()
	}
	limits = limits.WithDefaults()
	c, err := imp.Claim(t.Context(), a.Members, Peek, limits)
	if err != nil {
		t.Fatalf("claim: %v", err)
	}
	r := &Result{Claim: c}
	if len(c.Members) == 0 {
		return r
	}
	for u, err := range imp.Split(t.Context(), c, limits) {
		if err != nil {
			t.Fatalf("split: %v", err)
		}
		if u.Role == importer.RoleAsset {
			t.Errorf("%s: a unit was given for an asset", u.Member.Name)
		}
		r.Units = append(r.Units, decode(t, imp, u))
	}
	return r
}

func decode(t testing.TB, imp importer.Importer, u importer.Unit) Unit {
	t.Helper()
	out := Unit{Unit: u, Bad: u.Err}
	if u.Err != nil {
		return out
	}
	before := slices.Clone(u.Raw)
	items, err := imp.Decode(u)
	if !bytes.Equal(before, u.Raw) {
		t.Errorf("%s#%d: decoding changed the unit's bytes", u.Member.Name, u.Index)
	}
	if err != nil {
		if !errors.As(err, &out.Bad) || out.Bad.Code == "" || out.Bad.Reason == "" {
			t.Fatalf("%s#%d: not a reasoned refusal: %v", u.Member.Name, u.Index, err)
		}
		return out
	}
	for _, i := range items {
		n := 0
		for _, set := range []bool{i.Conversation != nil, i.Record != nil, i.Skip != nil} {
			if set {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s#%d: an item has %d kinds", u.Member.Name, u.Index, n)
		}
	}
	checkBeside(t, imp, u, items)
	out.Items = items
	return out
}

// Peek looks at members anew each time, for what is called the same may be another one in the next
// test.
var Peek importer.Peeker = peeker{}

// Shared is the path of a file or folder of the fixtures beside the repository. Without them the
// test is skipped.
func Shared(t testing.TB, parts ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			path := filepath.Join(append([]string{filepath.Dir(dir), "shared"}, parts...)...)
			if _, err := os.Stat(path); err != nil {
				t.Skip("the shared fixtures are not beside this repository")
			}
			return path
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("no go.mod above the package")
	return ""
}

// Load reads a file, or all files of a folder, as members named relative to it.
func Load(t testing.TB, path string) []File {
	t.Helper()
	var out []File
	err := filepath.WalkDir(path, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(path, p)
		if err != nil {
			return err
		}
		if name == "." {
			name = filepath.Base(p)
		}
		out = append(out, File{filepath.ToSlash(name), data})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
