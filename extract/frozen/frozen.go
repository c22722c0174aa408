package frozen

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"
)

// Table gives the frozen table of a name; without one, it compiles the table.
func Table[T any](name string, compile func() (T, error)) (T, error) {
	all, err := embedded()
	if err != nil {
		return *new(T), err
	}
	data, ok := all[name]
	if !ok {
		return compile()
	}
	v, err := Decode[T](data)
	if err != nil {
		return v, fmt.Errorf("read frozen table %s: %w", name, err)
	}
	return v, nil
}

// embedded gives the tables of this program by their names.
var embedded = sync.OnceValues(func() (map[string][]byte, error) {
	return openPack(unsafe.Slice(unsafe.StringData(packed), len(packed)))
})

// Frozen is a table in bytes.
type Frozen struct {
	Name string
	Data []byte
}

// Freeze gives the bytes of a table.
func Freeze[T any](name string, table T, err error) (Frozen, error) {
	if err != nil {
		return Frozen{}, err
	}
	data, err := Encode(table)
	if err != nil {
		return Frozen{}, fmt.Errorf("freeze table %s: %w", name, err)
	}
	return Frozen{name, data}, nil
}

// Pack gives the file of all tables, which programs embed.
func Pack(tables []Frozen) ([]byte, error) { return Encode(tables) }

// openPack gives the tables of such a file, as parts of it where the linker has put it where large
// values may lie.
func openPack(file []byte) (map[string][]byte, error) {
	if len(file) == 0 {
		return nil, nil
	}
	if !isAligned(file) {
		file = slices.Clone(file)
	}
	tables, err := Decode[[]Frozen](file)
	if err != nil {
		return nil, fmt.Errorf("read frozen tables: %w", err)
	}
	all := make(map[string][]byte, len(tables))
	for _, t := range tables {
		all[t.Name] = t.Data
	}
	return all, nil
}

// isAligned tells whether values of any type may lie in bytes.
func isAligned(data []byte) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(data)))%alignment == 0
}
