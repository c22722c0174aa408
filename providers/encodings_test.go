package providers_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

// documents are the conversations, records and quarantined units that all importers make of files,
// sorted.
func documents(t *testing.T, files []importertest.File) []string {
	t.Helper()
	a, err := archive.Open(t.Context(), []archive.Part{{Name: "drop.zip", Source: bytes.NewReader(importertest.Pack(t, files...))}}, archive.Limits{}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	limits := importer.Limits{Scratch: t.TempDir()}.WithDefaults()
	d, err := providers.Default().Detect(t.Context(), a, providers.Options{Limits: limits})
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for _, c := range d.Claims {
		for u, err := range c.Importer.Split(t.Context(), c.Claim, limits) {
			if err == nil && u.Err != nil {
				out = append(out, "quarantined: "+u.Err.Code)
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			items, err := c.Importer.Decode(u)
			if err != nil {
				out = append(out, "quarantined: "+err.Error())
			}
			for _, i := range items {
				switch {
				case i.Conversation != nil:
					out = append(out, string(i.Conversation.Doc.AppendJSON(nil)))
				case i.Record != nil:
					out = append(out, i.Record.Kind+" "+i.Record.ID+" "+i.Record.Text)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// TestEncodingsOfJSONSayTheSame reads the made-up fixtures as an editor on Windows may have saved
// them.
func TestEncodingsOfJSONSayTheSame(t *testing.T) {
	wide := func(e unicode.Endianness, mark unicode.BOMPolicy) func([]byte) ([]byte, error) {
		return func(b []byte) ([]byte, error) { return unicode.UTF16(e, mark).NewEncoder().Bytes(b) }
	}
	encodings := map[string]func([]byte) ([]byte, error){
		"a mark before UTF-8":         func(b []byte) ([]byte, error) { return append([]byte("\xef\xbb\xbf"), b...), nil },
		"UTF-16 with a mark":          wide(unicode.LittleEndian, unicode.UseBOM),
		"UTF-16 of the other end":     wide(unicode.BigEndian, unicode.UseBOM),
		"UTF-16 without a mark":       wide(unicode.LittleEndian, unicode.IgnoreBOM),
		"UTF-16 without, other order": wide(unicode.BigEndian, unicode.IgnoreBOM),
	}
	fixtures, err := filepath.Glob("*/testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range fixtures {
		if strings.HasSuffix(path, ".golden") || filepath.Base(path) == "fuzz" {
			continue
		}
		files := importertest.Load(t, path)
		isJSON := func(f importertest.File) bool {
			return (strings.HasSuffix(f.Name, ".json") || strings.HasSuffix(f.Name, ".jsonl")) && utf8.Valid(f.Data) && len(f.Data) > 4
		}
		if !slices.ContainsFunc(files, isJSON) {
			continue
		}
		want := documents(t, files)
		for name, encode := range encodings {
			changed := slices.Clone(files)
			for i, f := range files {
				if !isJSON(f) {
					continue
				}
				if changed[i].Data, err = encode(f.Data); err != nil {
					t.Fatal(err)
				}
			}
			if got := documents(t, changed); !slices.Equal(got, want) {
				t.Errorf("%s, %s: %d documents, records and losses, as many as %d in the original, but not the same", path, name, len(got), len(want))
			}
		}
	}
}
