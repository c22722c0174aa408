package exchange

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pamline/pamline/cmd/internal/storefile"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/sums"
)

// ErrExists is wrapped when the place to write to is taken.
var ErrExists = errors.New("it exists already; choose another name")

// Stdout is the name of the place that is standard output.
const Stdout = "-"

// output takes the files of a bundle, the store first.
type output interface {
	// add writes one file, by its name in the bundle.
	add(name string, write func(io.Writer) error) error
}

// writeTarget has a bundle written: to a folder, a zip (FILE.zip), a store file without anything
// beside it (FILE.json), or standard output, which gets a zip of a bundle and the JSON of a store.
// The result appears when it is whole. withFiles tells whether there is anything beside the store.
func writeTarget(to string, stdout io.Writer, withFiles bool, fill func(output) error) error {
	if withFiles {
		fill = withSums(fill)
	}
	if to == Stdout && !withFiles {
		return fill(single{stdout})
	}
	return writePlain(to, stdout, fill)
}

// writePlain is writeTarget without a list of digests.
func writePlain(to string, stdout io.Writer, fill func(output) error) error {
	if to == Stdout {
		return zipTo(stdout, fill)
	}
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("write %s: %w", to, ErrExists)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write %s: %w", to, err)
	}
	switch strings.ToLower(filepath.Ext(to)) {
	case ".zip":
		return storefile.Create(to, func(w io.Writer) error { return zipTo(w, fill) })
	case ".json":
		return storefile.Create(to, func(w io.Writer) error { return fill(single{w}) })
	}
	return folderTo(to, fill)
}

// writeStore has a store written, and beside it the other files of a bundle if there are any. A
// store alone goes straight to its place. That of a bundle is kept in a scratch file, which beside
// is given: the files that belong to it are found by reading it.
func (o Options) writeStore(withFiles bool, store func(io.Writer) error, beside func(out output, store string) error) error {
	if !withFiles {
		return writeTarget(o.To, o.Stdout, false, func(out output) error { return out.add(pamio.StoreFile, store) })
	}
	name := filepath.Join(o.Scratch, "new-store.json")
	if err := writeScratch(name, store); err != nil {
		return err
	}
	return writeTarget(o.To, o.Stdout, true, func(out output) error {
		if err := addScratch(out, pamio.StoreFile, name); err != nil {
			return err
		}
		return beside(out, name)
	})
}

// writeScratch writes a file that need not outlive the process.
func writeScratch(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("create scratch file: %w", err)
	}
	return errors.Join(write(f), f.Close())
}

// WriteFiles writes the files that fill gives as a folder, a zip (FILE.zip) or standard output,
// which gets a zip. The result appears when it is whole. withSums adds SHA256SUMS; FILE.json is
// then the store alone.
func WriteFiles(to string, stdout io.Writer, withSums bool, fill func(add func(name string, write func(io.Writer) error) error) error) error {
	if withSums {
		return writeTarget(to, stdout, true, func(out output) error { return fill(out.add) })
	}
	return writePlain(to, stdout, func(out output) error { return fill(out.add) })
}

// withSums adds SHA256SUMS behind the other files.
func withSums(fill func(output) error) func(output) error {
	return func(out output) (err error) {
		if _, alone := out.(single); alone {
			return fill(out)
		}
		s := summed{out, sums.NewList("")}
		defer func() { err = errors.Join(err, s.list.Close()) }()
		if err := fill(s); err != nil {
			return err
		}
		return out.add(sums.File, func(w io.Writer) error {
			_, err := s.list.Write(w)
			return err
		})
	}
}

// summed lists the digests of what is written.
type summed struct {
	output
	list *sums.List
}

func (s summed) add(name string, write func(io.Writer) error) error {
	h := sha256.New()
	if err := s.output.add(name, func(w io.Writer) error { return write(io.MultiWriter(w, h)) }); err != nil {
		return err
	}
	return s.list.Add(name, hex.EncodeToString(h.Sum(nil)))
}

// single keeps the store and nothing else.
type single struct{ w io.Writer }

func (s single) add(name string, write func(io.Writer) error) error {
	if name != pamio.StoreFile {
		return nil
	}
	return write(s.w)
}

type zipped struct{ z *zip.Writer }

func zipTo(w io.Writer, fill func(output) error) error {
	z := zip.NewWriter(w)
	if err := fill(zipped{z}); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("write zip: %w", err)
	}
	return nil
}

func (z zipped) add(name string, write func(io.Writer) error) error {
	w, err := z.z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err != nil {
		return fmt.Errorf("write zip: %w", err)
	}
	return write(w)
}

type folder struct{ path string }

// folderTo fills a folder beside the final one and moves it there.
func folderTo(to string, fill func(output) error) (err error) {
	temporary, err := os.MkdirTemp(filepath.Dir(filepath.Clean(to)), "."+filepath.Base(filepath.Clean(to))+".*")
	if err != nil {
		return fmt.Errorf("create folder: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temporary))
		}
	}()
	if err := fill(folder{temporary}); err != nil {
		return err
	}
	if err := os.Rename(temporary, to); err != nil {
		return fmt.Errorf("write %s: %w", to, err)
	}
	return nil
}

func (f folder) add(name string, write func(io.Writer) error) error {
	path := filepath.Join(f.path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("create folder: %w", err)
	}
	return storefile.Create(path, write)
}
