package pipeline

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestNeitherABadStoreNorBadVectorsArePublished(t *testing.T) {
	d := testDeps(t)
	for name, text := range map[string]string{
		"store.json":      `{"schema":"portable-ai-memory","schema_version":"1.0","memories":[{"id":"x"}]}`,
		"embeddings.json": `{"schema":"portable-ai-memory-embeddings","schema_version":"1.0","embeddings":[{"id":"x","vector":[]}]}`,
	} {
		file := filepath.Join(t.TempDir(), name)
		writeFile(t, file, text)
		if err := checkDocument(t.Context(), d, file); ClassOf(err) != Permanent || !strings.Contains(err.Error(), "the store is unchanged") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
