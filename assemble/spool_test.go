package assemble

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"testing"
)

// A spool of any length reads as what was written, and only a long one needs the disk.
func TestASpoolIsInMemoryWhileItIsSmall(t *testing.T) {
	for _, size := range []int{0, 1, spoolMemory - 1, spoolMemory, spoolMemory + 1, 5*spoolMemory + 7} {
		s := newSpool(t.TempDir())
		w := newLineWriter(s)
		var want []byte
		for line := 0; len(want) < size; line++ {
			text := bytes.Repeat([]byte{byte('a' + line%26)}, min(997, size-len(want)-1))
			if err := w.add(text); err != nil {
				t.Fatal(err)
			}
			want = append(append(want, text...), '\n')
		}
		if err := w.finish(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got, err := io.ReadAll(s.Reader()); err != nil || !bytes.Equal(got, want) || s.Size != int64(len(want)) {
				t.Errorf("of %d bytes %d were read: %v", size, len(got), err)
			}
		}
		if inFile := s.file != nil; inFile != (size > spoolMemory) {
			t.Errorf("%d bytes are in a file: %v", size, inFile)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
}

func TestASpoolThatHasNoScratchFolderSaysSo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	s := newSpool(dir)
	if _, err := s.Write(make([]byte, spoolMemory)); err != nil {
		t.Error(err)
	}
	if _, err := s.Write([]byte{0}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
