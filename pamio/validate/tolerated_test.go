package validate

import (
	"strings"
	"testing"
)

// What the specification leaves to the writer is no fault: nothing is found, under strict rules
// either.
func TestWhatIsLeftToTheWriterIsNoFault(t *testing.T) {
	withoutEmbeddings := each(del(storeFile, m+"0/embedding_ref"), del(storeFile, m+"1/embedding_ref"), func(f *fixture) Target {
		delete(f.files, embFile)
		return f.bundle()
	})
	for name, change := range map[string]func(*fixture) Target{
		// Nothing is fetched: the addresses lead nowhere.
		"addresses":                each(set(storeFile, "/spec_uri", "https://none.invalid/spec"), set(storeFile, "/type_registry", "https://none.invalid/types")),
		"no embeddings":            withoutEmbeddings,
		"unregistered custom type": set(storeFile, m+"3/custom_type", "never_registered"),
		"no signature":             func(f *fixture) Target { return f.bundle() },
		"null signature":           set(storeFile, "/signature", nil),
		"no canonicalization":      del(storeFile, "/integrity/canonicalization"),
		"no memories": func(f *fixture) Target {
			f.write("s.json", `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"ada"},"memories":[],"integrity":`+
				`{"canonicalization":"RFC8785","checksum":"sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945","total_memories":0}}`)
			return f.file("s.json")
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			for _, strict := range []bool{false, true} {
				r, found := run(t, change(newFixture(t)), Options{Strict: strict})
				if len(found) > 0 || r.Verdict() != Valid {
					t.Errorf("strict %v: %v with %v", strict, r.Verdict(), found)
				}
			}
		})
	}
}
