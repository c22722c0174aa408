package providers_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

var errBreaksOff = errors.New("its bytes are not those of its checksum")

// breaksOff is a member whose data ends in an error, as that of a damaged archive does.
func breaksOff(index int, f importertest.File) archive.Member {
	return archive.NewMember(f.Name, int64(len(f.Data)), index, func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(bytes.NewReader(f.Data), broken{})), nil
	})
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errBreaksOff }

// TestAMemberThatBreaksOffIsReported reads the made-up fixtures as members of a damaged archive:
// somebody recognizes each by what can be read of it and says what is wrong with it, so that nobody
// believes it was read.
func TestAMemberThatBreaksOffIsReported(t *testing.T) {
	fixtures, err := filepath.Glob("*/testdata/*.json*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range fixtures {
		if strings.HasSuffix(path, ".golden") || strings.HasPrefix(path, "importertest") {
			continue
		}
		file := importertest.Load(t, path)[0]
		if r := drop(t, path, "", file); r.conversations == 0 {
			continue // records, or nothing to read
		}
		limits := importer.Limits{Scratch: t.TempDir()}.WithDefaults()
		d, err := providers.Default().Detect(t.Context(), &archive.Archive{Members: []archive.Member{breaksOff(0, importertest.File{Name: "conversations.json", Data: file.Data})}}, providers.Options{Limits: limits})
		if err != nil || len(d.Claims) == 0 {
			t.Errorf("%s: nobody recognizes it: %v", path, err)
			continue
		}
		if name := d.Claims[0].Importer.Name(); name != filepath.Dir(filepath.Dir(path)) {
			t.Errorf("%s: %s takes it for its own", path, name)
		}
		bad := 0
		for _, c := range d.Claims {
			for u, err := range c.Importer.Split(t.Context(), c.Claim, limits) {
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				if u.Err != nil {
					bad++
				}
			}
		}
		if bad == 0 {
			t.Errorf("%s: nothing says that it breaks off", path)
		}
	}
}
