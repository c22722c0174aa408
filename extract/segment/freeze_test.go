package segment

import (
	"reflect"
	"testing"

	"github.com/pamline/pamline/extract/frozen"
)

// What is frozen is what the tables compile to.
func TestFrozenTablesAreTheCompiledOnes(t *testing.T) {
	cues, err := compileCues()
	if err != nil {
		t.Fatal(err)
	}
	compareFrozen(t, cues)
	l, err := compileLanguages()
	if err != nil {
		t.Fatal(err)
	}
	compareFrozen(t, l)
}

// The same tables give the same bytes: a release can be built again.
func TestTheSameTablesFreezeToTheSameBytes(t *testing.T) {
	one, err := Freeze()
	if err != nil {
		t.Fatal(err)
	}
	two, err := Freeze()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(one, two) {
		t.Error("the bytes differ")
	}
}

func compareFrozen[T any](t *testing.T, compiled T) {
	t.Helper()
	data, err := frozen.Encode(compiled)
	if err != nil {
		t.Fatal(err)
	}
	got, err := frozen.Decode[T](data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, compiled) {
		t.Errorf("the frozen %T differs from the compiled one", compiled)
	}
}
