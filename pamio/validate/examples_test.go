package validate

import (
	"os"
	"path/filepath"
	"testing"
)

// shared finds a folder of material that lies beside the repository on some machines.
func shared(t *testing.T, parts ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the package")
		}
		dir = filepath.Dir(dir)
	}
	path := filepath.Join(append([]string{filepath.Dir(dir), "shared"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skip("the examples of the specification are not beside the repository")
	}
	return path
}

func TestExamplesOfTheSpecification(t *testing.T) {
	dir := shared(t, "vectors", "pam-examples")
	for name, want := range map[string][]string{
		// Its checksum, made over the nulls as they stand, is right; its signature is invented and
		// no base64url.
		"example-memory-store.json": {"signature-encoding", "signature-not-verified"},
		"example-conversation.json": nil,
		"example-embeddings.json":   nil,
	} {
		t.Run(name, func(t *testing.T) {
			target, closer, err := Open(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			defer closer.Close()
			verdict := Valid
			if len(want) > 0 {
				verdict = Invalid
			}
			expect(t, target, Options{}, verdict, want...)
		})
	}
}
