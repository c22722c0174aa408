package pipeline

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pamline/pamline/pipeline/fault"
)

// LocalDrop is what lies complete in a drop folder.
type LocalDrop struct {
	Owner string
	// Paths are the parts of the drop: one file or folder, or the archives that lie side by side in a folder.
	Paths []string
	// Marker is the text of a folder's _COMPLETE, which may hold settings ([Deps.DropSettings]).
	Marker string
}

// openFolder makes of a folder what the inbox of a bucket would: archives lying side by side are the parts of one drop, and
// anything else is an unpacked export.
func (d *LocalDrop) openFolder(path string, marked bool) error {
	if marked {
		text, err := readMarkerFile(filepath.Join(path, completeName))
		if err != nil {
			return err
		}
		d.Marker = text
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("look into dropped folder: %w", err)
	}
	var archives []string
	for _, e := range entries {
		file := filepath.Join(path, e.Name())
		switch {
		case e.Name() == completeName, unfinished(e.Name()):
			continue
		case !e.Type().IsRegular():
			return nil
		}
		is, err := archiveFile(file)
		if err != nil || !is {
			return err
		}
		archives = append(archives, file)
	}
	if len(archives) > 0 {
		d.Paths = archives
	}
	return nil
}

func archiveFile(path string) (is bool, err error) {
	start, err := readStart(path, openingLength)
	return isArchive(start), err
}

func readMarkerFile(path string) (string, error) {
	text, err := readStart(path, maxMarker+1)
	if err == nil && len(text) > maxMarker {
		err = fault.Permanentf("leave it empty, or write only settings into it", "read marker: it has more than %d bytes", maxMarker)
	}
	return string(text), err
}

// readStart reads the first bytes of a file; one that has gone since it was listed is empty.
func readStart(path string, n int64) (start []byte, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read dropped file: %w", err)
	}
	defer f.Close()
	if start, err = io.ReadAll(io.LimitReader(f, n)); err != nil {
		return nil, fmt.Errorf("read dropped file: %w", err)
	}
	return start, nil
}

// DropSettings reads what a marker says of its drop.
func (d Deps) DropSettings(marker string) (importer string, extractors []string, err error) {
	said, err := parseMarker(marker)
	if err != nil {
		return "", nil, &fault.Fault{Class: fault.Permanent, Err: err, Hint: hintMarker}
	}
	s, err := d.settings(said)
	return s.importer, s.extractors, err
}
