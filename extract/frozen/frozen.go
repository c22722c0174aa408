package frozen

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime/debug"
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

// digestName is the name of the digest of all tables in their file.
const digestName = "digest"

// Pack gives the file of all tables, which programs embed.
func Pack(tables []Frozen) ([]byte, error) {
	sum := sha256.New()
	for _, t := range tables {
		sum.Write(fmt.Appendf(nil, "%s %d\n", t.Name, len(t.Data)))
		sum.Write(t.Data)
	}
	return Encode(append([]Frozen{{digestName, []byte(hex.EncodeToString(sum.Sum(nil)))}}, tables...))
}

// Digest tells the tables of this program from those of others. A program without frozen tables has
// those of its version, "" if that is not known.
func Digest() (string, error) {
	all, err := embedded()
	if digest, ok := all[digestName]; ok || err != nil {
		return string(digest), err
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version, nil
	}
	return "", nil
}

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
