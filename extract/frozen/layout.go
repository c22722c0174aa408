package frozen

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
)

// layoutOf is a digest of what the values of a type are made of and how they lie in memory.
func layoutOf(t reflect.Type) (uint64, error) {
	h := fnv.New64a()
	err := describeType(h, t, map[reflect.Type]bool{})
	return h.Sum64(), err
}

// describeType writes the layout of a type. A type that contains itself, by a slice or a pointer,
// is described once.
func describeType(w io.Writer, t reflect.Type, seen map[reflect.Type]bool) error {
	fmt.Fprintf(w, "%s %d %d;", t.Kind(), t.Size(), t.Align()) //nolint:errcheck // a hash takes everything
	if seen[t] {
		return nil
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			fmt.Fprintf(w, "%s %d ", f.Name, f.Offset) //nolint:errcheck // a hash takes everything
			if err := describeType(w, f.Type, seen); err != nil {
				return fmt.Errorf("%s.%s: %w", t, f.Name, err)
			}
		}
		return nil
	case reflect.Map:
		return errors.Join(describeType(w, t.Key(), seen), describeType(w, t.Elem(), seen))
	case reflect.Array:
		fmt.Fprintf(w, "%d ", t.Len()) //nolint:errcheck // a hash takes everything
		return describeType(w, t.Elem(), seen)
	case reflect.Slice, reflect.Pointer:
		return describeType(w, t.Elem(), seen)
	case reflect.String:
		return nil
	}
	if isNumber(t.Kind()) {
		return nil
	}
	return fmt.Errorf("a %s cannot be stored", t.Kind())
}

// isNumber tells whether values of a kind are their bytes.
func isNumber(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Float64 && k != reflect.Uintptr
}

// isFlat tells whether values of a type have no pointers.
func isFlat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if !isFlat(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Array:
		return isFlat(t.Elem())
	}
	return isNumber(t.Kind())
}

// headSize is how many bytes come first: the layout of the type, and where the long slices begin.
const headSize = 16

// farSize is from how many bytes on a slice without pointers lies behind all that is read to open a
// table: it is used in place, and what is read touches few pages of the file.
const farSize = 512

// alignment is that of the largest number.
const alignment = 8

// gapAt is how many bytes are missing to the next aligned place.
func gapAt(n int) int { return -n & (alignment - 1) }

// Numbers are written as the supported processors keep them in memory.
var order = binary.LittleEndian
