package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/pipeline/state"
)

// wordForms are the forms in which a word of small letters and digits may lie in a file.
func wordForms(word string) (out [][]byte) {
	var escaped, wide strings.Builder
	for _, c := range word {
		fmt.Fprintf(&escaped, `\u%04x`, c)
		wide.WriteString(string(c) + "\x00")
	}
	for _, w := range []string{word, strings.ToUpper(word[:1]) + word[1:]} {
		for shift := range 3 {
			text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat(" ", shift) + w))
			out = append(out, []byte(text[(shift*8+5)/6:len(text)-2]))
		}
		out = append(out, fmt.Appendf(nil, "%x", w))
	}
	return append(out, []byte(word), []byte(escaped.String()), []byte(wide.String()))
}

// hasWord tells whether a text, or what is compressed in it, has one of the forms of a word.
func hasWord(text []byte, forms [][]byte, depth int) bool {
	lower := bytes.ToLower(text)
	for _, f := range forms {
		if bytes.Contains(text, f) || bytes.Contains(lower, f) {
			return true
		}
	}
	if depth == 0 {
		return false
	}
	for _, inner := range unpackText(text) {
		if hasWord(inner, forms, depth-1) {
			return true
		}
	}
	return false
}

// unpackText gives what is compressed in a file, as far as it can be read.
func unpackText(text []byte) (inner [][]byte) {
	if z, err := gzip.NewReader(bytes.NewReader(text)); err == nil {
		b, _ := io.ReadAll(z) // what is cut off counts as far as it goes
		inner = append(inner, b)
	}
	if bytes.HasPrefix(text, []byte("\x28\xb5\x2f\xfd")) {
		if z, err := zstd.NewReader(bytes.NewReader(text)); err == nil {
			b, _ := io.ReadAll(z)
			z.Close()
			inner = append(inner, b)
		}
	}
	if z, err := zip.NewReader(bytes.NewReader(text), int64(len(text))); err == nil {
		for _, f := range z.File {
			if rc, err := f.Open(); err == nil {
				b, _ := io.ReadAll(rc)
				inner = append(inner, b)
			}
		}
	}
	return inner
}

// filesWith gives the files below a folder that have a word in their names or in any form in their
// bytes, those of packs of a plain store included.
func filesWith(t testing.TB, folder, word string) (found []string) {
	t.Helper()
	forms := wordForms(word)
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		has := hasWord([]byte(name), forms, 0)
		if d.Type().IsRegular() && !has {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			has = hasWord(text, forms, 3)
			for _, frame := range framesOf(t, path, text) {
				has = has || hasWord(frame, forms, 1)
			}
		}
		if has {
			found = append(found, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// framesOf gives the documents of a pack of a plain store: its lists say where they are.
func framesOf(t testing.TB, path string, text []byte) (frames [][]byte) {
	t.Helper()
	if filepath.Ext(path) != ".s2" || bytes.HasPrefix(text, []byte("pamline sealed")) {
		return nil
	}
	root, rest, ok := strings.Cut(path, "/owners/")
	if !ok {
		t.Fatalf("%s is a pack outside a store", path)
	}
	root, rest = root+"/", "owners/"+rest
	s, err := dir.OpenReadOnly(root)
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(root+rest), "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		list, err := state.OpenPackList(t.Context(), s, strings.TrimPrefix(name, root))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(path, list.Pack) {
			continue
		}
		for line, err := range list.Lines {
			if err != nil {
				t.Fatal(err)
			}
			doc, err := state.UnpackFrame(nil, text[line.Offset:line.Offset+line.Length], line.Size)
			if err != nil {
				t.Fatal(err)
			}
			frames = append(frames, doc)
		}
	}
	if len(frames) == 0 {
		t.Errorf("no list names the pack %s", path)
	}
	return frames
}

func TestTheScanFindsAWordInEveryForm(t *testing.T) {
	t.Parallel()
	const word = "qzv9burg"
	packed := func(write func(io.Writer) io.WriteCloser) string {
		var b bytes.Buffer
		w := write(&b)
		_, err := io.WriteString(w, `{"text":"I live in Qzv9burg."}`)
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var zipped bytes.Buffer
	z := zip.NewWriter(&zipped)
	f, err := z.Create("inner.gz")
	if err == nil {
		_, err = io.WriteString(f, packed(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }))
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"plain": "x Qzv9burg x", "escaped": `\u0071\u007a\u0076\u0039\u0062\u0075\u0072\u0067`, "wide": "q\x00z\x00v\x009\x00b\x00u\x00r\x00g\x00",
		"hex": "00717a76396275726700", "base64": base64.StdEncoding.EncodeToString([]byte("I live in Qzv9burg.")), "base64 moved": base64.StdEncoding.EncodeToString([]byte("in qzv9burg now")),
		"gzip": packed(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
		"zstd": packed(func(w io.Writer) io.WriteCloser {
			e, err := zstd.NewWriter(w)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}),
		"zip in which is gzip": zipped.String(), "named qzv9burg": "",
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if found := filesWith(t, folder, word); len(found) != 1 {
			t.Errorf("%s: found %q", name, found)
		}
		if found := filesWith(t, folder, "qzv8burg"); len(found) != 0 {
			t.Errorf("%s: found another word in %q", name, found)
		}
	}
}
