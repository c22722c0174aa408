package frozen

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// number has a gap between its fields.
type number struct {
	small uint8
	large int64
	half  float32
	yes   bool
}

type sample struct {
	Name    string
	numbers []number
	grid    [2][3]uint16
	named   map[string]*sample
	sets    map[number][]string
	below   []sample
	real    float64
	None    []string
	empty   []string
	nothing map[string]int
	long    []number // lies behind the rest
}

func wholeSample() sample {
	long := make([]number, farSize/8)
	for i := range long {
		long[i] = number{small: uint8(i), large: int64(i) << 33} //nolint:gosec // a byte of it
	}
	inner := &sample{Name: "inner", empty: []string{}, long: long[1:]}
	return sample{
		Name: "outer", numbers: []number{{1, -2, 3.5, true}, {large: 1 << 60}}, grid: [2][3]uint16{{1, 2, 3}, {4, 5, 6}},
		named: map[string]*sample{"a": inner, "b": nil, "ü": inner}, sets: map[number][]string{{small: 1}: {"x", ""}, {large: 2}: nil},
		below: []sample{{Name: "below", nothing: map[string]int{}}, {real: -0.25}}, real: 1e300, empty: []string{}, long: long,
	}
}

// What is read is what was written, and the same value gives the same bytes.
func TestDecodeGivesWhatWasEncoded(t *testing.T) {
	want := wholeSample()
	data, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode[sample](data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for range 20 { // of maps
		if again, err := Encode(wholeSample()); err != nil || !slices.Equal(again, data) {
			t.Fatalf("the bytes differ, %v", err)
		}
	}
}

// Bytes of a type that has changed since are refused, and so are types that cannot be stored.
func TestOtherTypesAreRefused(t *testing.T) {
	type before struct{ A, B int32 }
	type after struct{ B, A int32 }
	data, err := Encode([]before{{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Decode[[]after](data); err == nil || !strings.Contains(err.Error(), "build the program again") {
		t.Errorf("fields in another order: %v", err)
	}
	if _, err := Decode[[]before](data[:5]); err == nil {
		t.Error("bytes without a layout were read")
	}
	if _, err := Encode(struct{ f func() }{}); err == nil {
		t.Error("a function was stored")
	}
}

// A table that is not embedded is compiled, and what is read of a pack is what was frozen, wherever
// the pack lies.
func TestTablesOfAPackAreThoseThatWereFrozen(t *testing.T) {
	got, err := Table("no such table", func() (int, error) { return 3, nil })
	if got != 3 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
	words, err := Freeze("words", []string{"a", "b"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := Freeze("numbers", []int64{1, 1 << 40}, nil)
	if err != nil {
		t.Fatal(err)
	}
	pack, err := Pack([]Frozen{words, numbers})
	if err != nil {
		t.Fatal(err)
	}
	for shift := range alignment {
		all, err := openPack(append(make([]byte, shift), pack...)[shift:])
		if err != nil {
			t.Fatal(err)
		}
		if list, err := Decode[[]string](all["words"]); err != nil || !slices.Equal(list, []string{"a", "b"}) {
			t.Errorf("got %q, %v", list, err)
		}
		if list, err := Decode[[]int64](all["numbers"]); err != nil || !slices.Equal(list, []int64{1, 1 << 40}) {
			t.Errorf("got %d, %v", list, err)
		}
	}
	if _, err := openPack(pack[:len(pack)-1]); err == nil || !strings.Contains(err.Error(), "build the program again") {
		t.Errorf("a pack that is cut short: %v", err)
	}
}

// The linker puts the pack where its tables can be used in place: a copy would cost memory and time
// in each process.
func TestTheEmbeddedPackLiesWhereItCanBeUsed(t *testing.T) {
	if file := unsafe.Slice(unsafe.StringData(packed), len(packed)); len(file) > 0 && !isAligned(file) {
		t.Error("the embedded tables are not aligned")
	}
}

// Whatever the bytes are, Decode ends with a value or an error, and takes no more memory than they
// account for.
func FuzzDecode(f *testing.F) {
	data, err := Encode(wholeSample())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[8:])
	f.Add(data[8:40])
	f.Fuzz(func(t *testing.T, changed []byte) {
		whole := append(slices.Clone(data[:8]), changed...) // the layout is right
		if v, err := Decode[sample](whole); err == nil {
			if _, err := Encode(v); err != nil {
				t.Errorf("what was read cannot be written: %v", err)
			}
		}
	})
}

func TestTheDigestTellsTablesApart(t *testing.T) {
	digests := map[string]bool{}
	for _, tables := range [][]Frozen{{{"a", []byte("one")}}, {{"a", []byte("two")}}, {{"b", []byte("one")}}, {{"a", []byte("one")}, {"b", nil}}} {
		file, err := Pack(tables)
		if err != nil {
			t.Fatal(err)
		}
		all, err := openPack(file)
		if err != nil {
			t.Fatal(err)
		}
		digests[string(all[digestName])] = true
	}
	if len(digests) != 4 || digests[""] {
		t.Errorf("the digests are %v", digests)
	}
}
