package pipeline

import (
	"bytes"
	"compress/gzip"
	"path/filepath"
	"strings"
	"testing"
)

func TestGzipNameIsNotInTheOutput(t *testing.T) {
	t.Parallel()
	var outs []map[string]string
	for _, name := range []string{"anna-smith.json.gz", "export.json.gz"} {
		d := testDeps(t)
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(twoConversations)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), name)
		writeFile(t, file, b.String())
		if _, err := runStages(t, d, file); err != nil {
			t.Fatal(err)
		}
		outs = append(outs, outcome(t, d.Store))
	}
	for key, text := range outs[0] {
		if strings.Contains(key, "/conversations/") && outs[1][key] != text {
			t.Errorf("%s depends on the drop's name: %v", key, strings.Contains(text, "anna-smith"))
		}
	}
}

func TestManifestHasNoDigestOfWhatWasNotRead(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	file := zipOf(t, map[string]string{"conversations.json": twoConversations, "user.json": `{"id":"user-1","email":"a@b.c","chatgpt_plus_user":false}`, "file-abc.png": "\x89PNG"})
	m, _ := ingested(t, d, "me", file)
	for _, s := range m.Sources {
		if strings.HasPrefix(s.Checksum, "sha256:e3b0c442") {
			t.Errorf("%s has the digest of nothing", s.File)
		}
	}
}
