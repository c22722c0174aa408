package exchange

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/pamline/pamline/pamio"
)

// assetsFolder holds the files that messages name.
const assetsFolder = "assets"

// conversations adds the conversation files that the index of a written store names.
func (in *inputs) conversations(out output, store string, count *Files) error {
	done := map[string]bool{}
	err := readFile(store, func(r io.Reader) error {
		return pamio.ReadStore(r, pamio.Visitor{MaxValue: -1, IndexEntry: func(e pamio.Element) error {
			entry, err := pamio.ParseIndexEntry(e.Raw)
			if err != nil || entry.Storage == nil || entry.Storage.Type != "file" || done[entry.Storage.Ref] {
				return err
			}
			name := path.Clean(entry.Storage.Ref)
			done[entry.Storage.Ref] = true
			f, err := in.newest(entry.Storage.Ref)
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, pamio.ErrUnsafeRef) {
				count.Missing++
				return nil
			}
			if err != nil {
				return err
			}
			count.Conversations++
			return addFile(out, name, name, f)
		}})
	})
	if err != nil {
		return fmt.Errorf("copy conversations: %w", err)
	}
	return nil
}

// assets adds the assets of all inputs from the given one on, each once, except those that skip
// names.
func (in *inputs) assets(out output, from int, skip func(name string) bool, count *Files) error {
	done := map[string]bool{}
	for i := len(in.files) - 1; i >= from; i-- {
		if !in.files[i].IsBundle() {
			continue
		}
		fsys := in.files[i].Bundle().FS()
		err := fs.WalkDir(fsys, assetsFolder, func(name string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) && name == assetsFolder {
				return fs.SkipDir
			}
			if err != nil || !e.Type().IsRegular() || done[name] || skip(name) {
				return err
			}
			done[name] = true
			f, err := fsys.Open(name)
			if err != nil {
				return err
			}
			count.Assets++
			return addFile(out, name, name, f)
		})
		if err != nil {
			return fmt.Errorf("copy assets: %w", err)
		}
	}
	return nil
}

// addFile copies an open file and closes it. A damaged one is not given away: source is its name in
// the bundle.
func addFile(out output, name, source string, f fs.File) error {
	err := out.add(name, func(w io.Writer) error {
		_, err := io.Copy(w, pamio.VerifyName(source, f))
		return err
	})
	return errors.Join(err, f.Close())
}

// addScratch copies a file of the scratch folder.
func addScratch(out output, name, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("read scratch file: %w", err)
	}
	return addFile(out, name, "", f)
}

func readFile(name string, use func(io.Reader) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(use(f), f.Close())
}
