package pipeline

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/publish"
)

func TestNeitherABadStoreNorBadVectorsArePublished(t *testing.T) {
	d := testDeps(t)
	for name, text := range map[string]string{
		"store.json":      `{"schema":"portable-ai-memory","schema_version":"1.0","memories":[{"id":"x"}]}`,
		"embeddings.json": `{"schema":"portable-ai-memory-embeddings","schema_version":"1.0","embeddings":[{"id":"x","vector":[]}]}`,
	} {
		file := filepath.Join(t.TempDir(), name)
		writeFile(t, file, text)
		if err := publish.CheckDocument(t.Context(), d.publication(), file); fault.Of(err) != fault.Permanent || !strings.Contains(err.Error(), "the store is unchanged") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
