package frozen

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"
)

// errDamaged is the error of bytes that Encode did not write.
var errDamaged = errors.New("the bytes are damaged: build the program again")

// Decode reads what Encode wrote. Strings, and slices without pointers, are parts of data: neither
// data nor the value may be changed any more.
func Decode[T any](data []byte) (v T, err error) {
	t := reflect.TypeFor[T]()
	layout, err := layoutOf(t)
	if err != nil {
		return v, fmt.Errorf("decode %s: %w", t, err)
	}
	if len(data) < headSize || order.Uint64(data) != layout {
		return v, fmt.Errorf("decode %s: the bytes are those of another type or version: build the program again", t)
	}
	if !isAligned(data) {
		return v, fmt.Errorf("decode %s: the bytes do not lie in memory as large values do", t)
	}
	far := order.Uint64(data[8:])
	if far < headSize || far > uint64(len(data)) {
		return v, fmt.Errorf("decode %s: %w", t, errDamaged)
	}
	r := &reader{data: unsafe.String(unsafe.SliceData(data), len(data)), at: headSize, end: int(far), far: int(far)} //nolint:gosec // compared above
	newCodecs().of(t)(r, unsafe.Pointer(&v))
	if r.bad || r.at+gapAt(r.at) != r.end || r.far != len(data) {
		return *new(T), fmt.Errorf("decode %s: %w", t, errDamaged)
	}
	return v, nil
}

// reader reads bytes; what lies behind the end is zero, and makes it bad.
type reader struct {
	data    string
	at, end int // of what is read
	far     int // where the next long slice lies
	bad     bool
}

// take gives the next n bytes.
func (r *reader) take(n int) string {
	if r.bad || n > r.end-r.at {
		r.bad, r.at = true, r.end
		return ""
	}
	s := r.data[r.at : r.at+n]
	r.at += n
	return s
}

// takeFlat gives the bytes of the next slice without pointers.
func (r *reader) takeFlat(n int) string {
	if n < farSize {
		r.take(gapAt(r.at))
		return r.take(n)
	}
	if r.far += gapAt(r.far); r.bad || n > len(r.data)-r.far {
		r.bad = true
		return ""
	}
	r.far += n
	return r.data[r.far-n : r.far]
}

// length reads a length of things that take at least size bytes each.
func (r *reader) length(size int) int {
	var n uint64
	for shift := 0; ; shift += 7 {
		b := r.take(1)
		if b == "" || shift > 28 {
			r.bad = true
			return 0
		}
		n |= uint64(b[0]&0x7f) << shift
		if b[0] < 0x80 {
			break
		}
	}
	if n > uint64(len(r.data)-r.at+1)/uint64(max(size, 1))+1 { //nolint:gosec // never negative
		r.bad = true
		return 0
	}
	return int(n) //nolint:gosec // compared above
}

// decoder reads a value into memory of its type, which is zero.
type decoder func(r *reader, to unsafe.Pointer)

// codecs are the decoders of types. A type that contains itself finds its own by the pointer.
type codecs map[reflect.Type]*decoder

func newCodecs() codecs { return codecs{} }

func (c codecs) of(t reflect.Type) decoder {
	if d, ok := c[t]; ok {
		return func(r *reader, to unsafe.Pointer) { (*d)(r, to) }
	}
	d := new(decoder)
	c[t] = d
	*d = c.build(t)
	return *d
}

func (c codecs) build(t reflect.Type) decoder {
	switch {
	case isFlat(t):
		return decodeFlat(int(t.Size())) //nolint:gosec // it fits into memory
	case t.Kind() == reflect.String:
		return decodeString
	case t.Kind() == reflect.Pointer:
		return c.pointer(t)
	case t.Kind() == reflect.Slice:
		return c.slice(t)
	case t.Kind() == reflect.Map:
		return c.mapOf(t)
	case t.Kind() == reflect.Array:
		elem, size := c.of(t.Elem()), t.Elem().Size()
		return func(r *reader, to unsafe.Pointer) {
			for i := range t.Len() {
				elem(r, unsafe.Add(to, uintptr(i)*size)) //nolint:gosec // never negative
			}
		}
	}
	type part struct {
		offset uintptr
		decode decoder
	}
	var parts []part
	for i := range t.NumField() {
		parts = append(parts, part{t.Field(i).Offset, c.of(t.Field(i).Type)})
	}
	return func(r *reader, to unsafe.Pointer) {
		for i := range parts {
			parts[i].decode(r, unsafe.Add(to, parts[i].offset))
		}
	}
}

func decodeString(r *reader, to unsafe.Pointer) { *(*string)(to) = r.take(r.length(1)) }

func decodeFlat(size int) decoder {
	return func(r *reader, to unsafe.Pointer) { copy(unsafe.Slice((*byte)(to), size), r.take(size)) }
}

func (c codecs) pointer(t reflect.Type) decoder {
	elem := c.of(t.Elem())
	return func(r *reader, to unsafe.Pointer) {
		if s := r.take(1); s == "" || s[0] == 0 {
			return
		}
		p := reflect.New(t.Elem()).UnsafePointer()
		elem(r, p)
		*(*unsafe.Pointer)(to) = p
	}
}

func (c codecs) slice(t reflect.Type) decoder {
	size, flat := int(t.Elem().Size()), isFlat(t.Elem()) //nolint:gosec // it fits into memory
	var elem decoder
	if !flat {
		elem = c.of(t.Elem())
	}
	least := 1
	if flat {
		least = size
	}
	return func(r *reader, to unsafe.Pointer) {
		n := r.length(least) - 1
		if n < 0 {
			return
		}
		if flat && n > 0 && size > 0 {
			if part := r.takeFlat(n * size); part != "" {
				*(*sliceHeader)(to) = sliceHeader{unsafe.Pointer(unsafe.StringData(part)), n, n}
			}
			return
		}
		made := reflect.MakeSlice(t, n, n)
		for i := 0; i < n && !r.bad && !flat; i++ {
			elem(r, unsafe.Add(made.UnsafePointer(), i*size))
		}
		reflect.NewAt(t, to).Elem().Set(made)
	}
}

// sliceHeader is a slice in memory.
type sliceHeader struct {
	first    unsafe.Pointer
	len, cap int
}

func (c codecs) mapOf(t reflect.Type) decoder {
	key, elem := c.of(t.Key()), c.of(t.Elem())
	return func(r *reader, to unsafe.Pointer) {
		n := r.length(2) - 1
		if n < 0 {
			return
		}
		made := reflect.MakeMapWithSize(t, n)
		k, v := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		for i := 0; i < n && !r.bad; i++ {
			k.SetZero()
			v.SetZero()
			key(r, k.Addr().UnsafePointer())
			elem(r, v.Addr().UnsafePointer())
			made.SetMapIndex(k, v)
		}
		reflect.NewAt(t, to).Elem().Set(made)
	}
}
