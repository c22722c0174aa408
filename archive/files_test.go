package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// fileOf is a file of a folder that lies apart.
func fileOf(name string, data []byte) File {
	return File{
		Name: name, Size: int64(len(data)),
		Open:   func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
		Source: func(context.Context) (Source, error) { return bytes.NewReader(data), nil },
	}
}

func TestFolderOfFilesThatLieApartIsTheFolderPacked(t *testing.T) {
	content := map[string][]byte{
		"b.json": []byte("[2]"), "a/deep/x.json": []byte("{}"), "a.json": []byte("[1]"), ".DS_Store": []byte("x"), "__MACOSX/b": []byte("x"),
		"takeout.zip": ordinary(t, "inner/users.json", "3"), "photo.png": []byte("\x89PNG"), "same": []byte("[1]"),
	}
	folder := t.TempDir()
	var files []File
	for name, data := range content {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, fileOf(name, data))
	}
	var packed bytes.Buffer
	if _, err := PackFolder(t.Context(), folder, &packed, nil); err != nil {
		t.Fatal(err)
	}
	want, err := openParts(t, part("folder", packed.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	got, err := openParts(t, Part{Name: "folder", Files: files})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := listing(t, got), listing(t, want); !slices.Equal(a, b) || got.Kind != "folder" || len(a) != 6 {
		t.Errorf("kind %q, members\n%q, want\n%q", got.Kind, a, b)
	}
}

func TestFolderOfFilesKeepsToNamesAndLimits(t *testing.T) {
	a, err := openParts(t, Part{Name: "folder", Files: []File{fileOf("../out", []byte("x")), fileOf("good", []byte("x"))}})
	if err != nil || len(a.Members) != 1 || a.RefusedCount != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := openParts(t, Part{Name: "folder", Files: []File{fileOf(".DS_Store", []byte("x"))}}); codeOf(t, err) != CodeEmpty {
		t.Errorf("error is %v", err)
	}
	if _, err := openParts(t, Part{Name: "folder", Files: []File{}}); codeOf(t, err) != CodeEmpty {
		t.Errorf("error is %v", err)
	}
	broken := fileOf("inner.zip", ordinary(t, "a", "b"))
	broken.Source = func(context.Context) (Source, error) { return nil, errStorage }
	if _, err := openParts(t, Part{Name: "folder", Files: []File{broken}}); !errors.Is(err, errStorage) {
		t.Errorf("error is %v", err)
	}
	if _, err := Open(t.Context(), []Part{{Name: "folder", Files: []File{fileOf("a", nil), fileOf("b", nil)}}}, Limits{MaxMembers: 1}, t.TempDir()); codeOf(t, err) != CodeTooMany {
		t.Errorf("error is %v", err)
	}
}
