package pamio

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"
)

func TestAFileIsReadOnlyIfItIsWhatItsNameSays(t *testing.T) {
	body := `{"schema":"portable-ai-memory-conversation"}`
	sum := sha256.Sum256([]byte(body))
	digest := hex.EncodeToString(sum[:])
	id := "11111111-2222-4333-8444-555555555555"
	other := "conversations/" + id + ".0000000000000000.json"
	files := map[string]bool{ // by name, whether it is read
		"conversations/" + id + "." + digest[:16] + ".json": true,
		other:                                        false,
		"conversations/plain.json":                   true, // of another tool: its name tells nothing
		"conversations/" + id + ".json":              true,
		"assets/" + digest + ".txt":                  true,
		"assets/" + digest:                           true,
		"assets/" + strings.Repeat("0", 64) + ".txt": false,
		"assets/photo.png":                           true,
	}
	b := &Bundle{fsys: fstest.MapFS{}, store: StoreFile}
	for name := range files {
		b.fsys.(fstest.MapFS)[name] = &fstest.MapFile{Data: []byte(body)}
	}
	for name, whole := range files {
		text, err := b.ReadFile(nil, name, 0)
		if whole && (err != nil || string(text) != body) || !whole && (!errors.Is(err, ErrNameDigest) || !strings.Contains(err.Error(), name)) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if _, err := b.ReadFile(nil, "./conversations/../"+other, 0); err == nil {
		t.Error("a name that is written in another way is read")
	}
	if _, err := io.ReadAll(VerifyName(other, strings.NewReader(body))); !errors.Is(err, ErrNameDigest) {
		t.Errorf("streamed: %v", err)
	}
}
