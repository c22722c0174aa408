package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "export")
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var tree = map[string]string{"a/b.json": "1", "a.json": "2", "a-b/c": "3", "Z": "4", ".DS_Store": "junk"}

func TestPackedFolderIsTheSameForTheSameTree(t *testing.T) {
	pack := func(dir string) []byte {
		var b bytes.Buffer
		if _, err := PackFolder(context.Background(), dir, &b, nil); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	dir, twin := writeTree(t, tree), writeTree(t, tree)
	old := time.Unix(1_000_000_000, 0)
	if err := os.Chtimes(filepath.Join(twin, "a.json"), old, old); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(twin, "a.json"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(twin, ".DS_Store")); err != nil {
		t.Fatal(err)
	}
	packed := pack(dir)
	if !bytes.Equal(packed, pack(twin)) {
		t.Error("equal trees give different bytes")
	}
	if got, want := listing(t, mustOpen(t, packed, Limits{})), []string{"Z=4", "a-b/c=3", "a.json=2", "a/b.json=1"}; !slices.Equal(got, want) {
		t.Errorf("members are %q", got)
	}
	// The digest identifies drops: it must never change, whatever library writes the zip.
	const want = "210f8e61c34d6da06b33040f8f44ca95f80ab6ed0eb20f6bf4786e9f449505f5"
	if got := fmt.Sprintf("%x", sha256.Sum256(packed)); got != want {
		t.Errorf("digest is %s", got)
	}
	other := writeTree(t, map[string]string{"a": "2"})
	if bytes.Equal(pack(other), packed) {
		t.Error("different trees give equal bytes")
	}
}

func TestFolderWithoutFilesIsAnError(t *testing.T) {
	dir := writeTree(t, map[string]string{"x/.DS_Store": "junk"})
	if _, err := PackFolder(context.Background(), dir, &bytes.Buffer{}, nil); codeOf(t, err) != CodeEmpty {
		t.Errorf("error is %v", err)
	}
}

// A file that becomes a link to the outside while the folder is packed is not followed.
func TestPackedFolderNeverLeavesItself(t *testing.T) {
	dir := writeTree(t, tree)
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": outside, "a/up": ".."} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("this system makes no symbolic links")
		}
	}
	var packed bytes.Buffer
	if _, err := PackFolder(context.Background(), dir, &packed, nil); err != nil {
		t.Fatal(err)
	}
	if got := listing(t, mustOpen(t, packed.Bytes(), Limits{})); !slices.Equal(got, []string{"Z=4", "a-b/c=3", "a.json=2", "a/b.json=1"}) {
		t.Errorf("members %q", got)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if f, err := openInside(root, "link"); err == nil {
		t.Error("opened a link to the outside", f.Close())
	}
}
