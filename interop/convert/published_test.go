package convert_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// published compiles a published schema, or skips the test if it is not beside the repository.
func published(t *testing.T, parts ...string) *jsonschema.Schema {
	t.Helper()
	path := filepath.Join(append([]string{"..", "..", "..", "shared", "schemas"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skip("the published schemas are not beside this repository")
	}
	s, err := jsonschema.NewCompiler().Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func accept(t *testing.T, s *jsonschema.Schema, name string, text []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// TestPublishedSchemasAcceptWhatIsWritten: every record of every native kind, the manifest, and MIF
// documents with and without shadows.
func TestPublishedSchemasAcceptWhatIsWritten(t *testing.T) {
	t.Parallel()
	manifest := published(t, "mem", "manifest.schema.json")
	checked := 0
	bundle := func(files fstest.MapFS) {
		accept(t, manifest, "manifest.json", files["manifest.json"].Data)
		for name, f := range files {
			kind := strings.TrimSuffix(filepath.Base(name), ".jsonl")
			kind = map[string]string{"tombstones": "tombstone"}[kind] + map[bool]string{true: kind}[kind != "tombstones"]
			path := filepath.Join("..", "..", "..", "shared", "schemas", "mem", kind+".schema.json")
			if _, err := os.Stat(path); err != nil || !strings.HasSuffix(name, ".jsonl") {
				continue
			}
			s := published(t, "mem", kind+".schema.json")
			for line := range bytes.Lines(f.Data) {
				accept(t, s, name, line)
				checked++
			}
		}
	}
	for _, clean := range []bool{false, true} {
		m, _ := toMem(t, bundleOf(store), clean)
		bundle(m)
		text, _ := toMIF(t, bundleOf(store), clean)
		accept(t, published(t, "mif", "mif-v1.schema.json"), "MIF", text)
	}
	if checked < 4 {
		t.Errorf("%d records were checked", checked)
	}
}
