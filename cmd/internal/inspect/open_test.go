package inspect_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/cmd/internal/inspect"
	"github.com/pamline/pamline/pamio"
)

func TestADamagedConversationFileIsNotShown(t *testing.T) {
	const id = "11111111-2222-4333-8444-555555555555"
	body := `{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"` + id + `","provider":{"name":"chatgpt"},"title":"Harbor","temporal":{"created_at":"2026-01-01T00:00:00Z"},"messages":[]}`
	damaged := strings.Replace(body, "Harbor", "Harbos", 1)
	sum := sha256.Sum256([]byte(body))
	named := id + "." + hex.EncodeToString(sum[:])[:16] + ".json"
	for _, c := range []struct {
		name, text string
		isRead     bool
	}{
		{named, body, true},
		{named, damaged, false},
		{"by-another-tool.json", damaged, true}, // its name tells nothing
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, conversation, err := inspect.Open(path)
		if c.isRead && (err != nil || conversation == nil || conversation.ID != id) {
			t.Errorf("%s: %v, %v", c.name, conversation, err)
		}
		if !c.isRead && !errors.Is(err, pamio.ErrNameDigest) {
			t.Errorf("%s, damaged: %v", c.name, err)
		}
	}
}
