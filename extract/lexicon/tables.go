package lexicon

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"go.yaml.in/yaml/v3"
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

// DecodeTable reads a table in YAML. Keys that it does not have, and a second document, are errors.
func DecodeTable[T any](text []byte, into *T) error {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("parse table: %w", err)
	}
	if err := dec.Decode(new(any)); !errors.Is(err, io.EOF) {
		return errors.New("parse table: there is more than one document")
	}
	return nil
}
