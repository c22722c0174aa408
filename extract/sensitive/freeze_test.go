package sensitive

import (
	"reflect"
	"testing"

	"github.com/pamline/pamline/extract/frozen"
)

// What is frozen is what the tables compile to.
func TestFrozenTablesAreTheCompiledOnes(t *testing.T) {
	compiled, err := compileTables()
	if err != nil {
		t.Fatal(err)
	}
	data, err := frozen.Encode(compiled)
	if err != nil {
		t.Fatal(err)
	}
	got, err := frozen.Decode[*table](data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, compiled) {
		t.Error("the frozen tables differ from the compiled ones")
	}
}
