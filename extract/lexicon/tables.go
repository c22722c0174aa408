package lexicon

import (
	"fmt"
	"io/fs"
	"path"
)

// ReadTables parses the files of the folder "tables" in the order of their names. An error names
// the file.
func ReadTables[T any](files fs.ReadDirFS, parse func(text []byte) (T, error)) ([]T, error) {
	entries, err := files.ReadDir("tables")
	if err != nil {
		return nil, fmt.Errorf("read tables: %w", err)
	}
	var all []T
	for _, e := range entries {
		text, err := fs.ReadFile(files, path.Join("tables", e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read table: %w", err)
		}
		t, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", e.Name(), err)
		}
		all = append(all, t)
	}
	return all, nil
}
