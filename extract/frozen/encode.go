package frozen

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
)

// Encode writes a value. The same value gives the same bytes.
func Encode[T any](v T) ([]byte, error) {
	t := reflect.TypeFor[T]()
	layout, err := layoutOf(t)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", t, err)
	}
	e := &encoder{out: make([]byte, headSize)}
	e.value(reflect.ValueOf(&v).Elem())
	e.out = alignOutput(e.out)
	order.PutUint64(e.out, layout)
	order.PutUint64(e.out[8:], uint64(len(e.out)))
	return append(e.out, e.far...), nil
}

type encoder struct{ out, far []byte }

func (e *encoder) length(n int) { e.out = binary.AppendUvarint(e.out, uint64(n)) } //nolint:gosec // never negative

// value writes one value. Slices and maps have their length plus one before them, 0 if they are
// nil.
func (e *encoder) value(v reflect.Value) {
	switch t := v.Type(); t.Kind() {
	case reflect.String:
		e.length(v.Len())
		e.out = append(e.out, v.String()...)
	case reflect.Pointer:
		if v.IsNil() {
			e.out = append(e.out, 0)
			return
		}
		e.out = append(e.out, 1)
		e.value(v.Elem())
	case reflect.Slice:
		if v.IsNil() {
			e.length(0)
			return
		}
		e.length(v.Len() + 1)
		switch size := v.Len() * int(t.Elem().Size()); { //nolint:gosec // it fits into memory
		case !isFlat(t.Elem()) || size == 0:
			e.elements(v)
		case size < farSize:
			e.out = alignOutput(e.out)
			e.elements(v)
		default:
			far := encoder{out: alignOutput(e.far)}
			far.elements(v)
			e.far = far.out
		}
	case reflect.Array:
		e.elements(v)
	case reflect.Map:
		e.mapOf(v)
	case reflect.Struct:
		if isFlat(t) {
			e.flat(v)
			return
		}
		for i := range v.NumField() {
			e.value(v.Field(i))
		}
	default:
		e.flat(v)
	}
}

// alignOutput fills up to where values without pointers can be used in place.
func alignOutput(out []byte) []byte { return append(out, make([]byte, gapAt(len(out)))...) }

func (e *encoder) elements(v reflect.Value) {
	for i := range v.Len() {
		e.value(v.Index(i))
	}
}

// mapOf writes the entries in the order of the bytes of their keys.
func (e *encoder) mapOf(v reflect.Value) {
	if v.IsNil() {
		e.length(0)
		return
	}
	e.length(v.Len() + 1)
	type entry struct {
		key  []byte
		elem reflect.Value
	}
	var all []entry
	for k, elem := range v.Seq2() {
		key := &encoder{}
		key.value(k)
		all = append(all, entry{key.out, elem})
	}
	slices.SortFunc(all, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	for _, x := range all {
		e.out = append(e.out, x.key...)
		e.value(x.elem)
	}
}

// flat writes a value as it lies in memory, with zeros in the gaps of structs.
func (e *encoder) flat(v reflect.Value) {
	at := len(e.out)
	e.out = append(e.out, make([]byte, v.Type().Size())...)
	putFlat(e.out[at:], v)
}

func putFlat(to []byte, v reflect.Value) {
	switch k := v.Kind(); {
	case k == reflect.Struct:
		for i := range v.NumField() {
			putFlat(to[v.Type().Field(i).Offset:], v.Field(i))
		}
	case k == reflect.Array:
		size := int(v.Type().Elem().Size()) //nolint:gosec // it fits into memory
		for i := range v.Len() {
			putFlat(to[i*size:], v.Index(i))
		}
	default:
		putNumber(to[:v.Type().Size()], numberOf(v))
	}
}

// numberOf gives the bits of a number or boolean.
func numberOf(v reflect.Value) uint64 {
	switch {
	case v.Kind() == reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case v.CanInt():
		return uint64(v.Int()) //nolint:gosec // its bits
	case v.CanUint():
		return v.Uint()
	case v.Kind() == reflect.Float32:
		return uint64(math.Float32bits(float32(v.Float())))
	}
	return math.Float64bits(v.Float())
}

func putNumber(to []byte, n uint64) {
	for i := range to {
		to[i] = byte(n >> (8 * i))
	}
}
