package frozen

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/klauspost/compress/s2"
)

// Table gives the frozen table of a name; without one, it compiles the table.
func Table[T any](name string, compile func() (T, error)) (T, error) {
	data, err := fs.ReadFile(tables, fileOf(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return compile()
	case err != nil:
		return *new(T), fmt.Errorf("read frozen table: %w", err)
	}
	if data, err = s2.Decode(nil, data); err != nil {
		return *new(T), fmt.Errorf("read frozen table %s: %w", name, err)
	}
	v, err := Decode[T](data)
	if err != nil {
		return v, fmt.Errorf("read frozen table %s: %w", name, err)
	}
	return v, nil
}

// File is the frozen table of a name as it is to be stored, compressed.
type File struct {
	Name string
	Data []byte
}

// Freeze makes the file of a table.
func Freeze[T any](name string, table T, err error) (File, error) {
	if err != nil {
		return File{}, err
	}
	data, err := Encode(table)
	if err != nil {
		return File{}, fmt.Errorf("freeze table %s: %w", name, err)
	}
	return File{Name: fileOf(name), Data: s2.EncodeBest(nil, data)}, nil
}

func fileOf(name string) string { return "tables/" + name + ".bin" }
