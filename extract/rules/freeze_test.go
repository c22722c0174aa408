package rules

import (
	"reflect"
	"testing"

	"github.com/pamline/pamline/extract/frozen"
)

// A frozen table is the compiled table, in every language.
func TestFrozenTablesAreTheCompiledOnes(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: it reads all tables, and no two goroutines take part")
	}
	x, err := compileIndex()
	if err != nil {
		t.Fatal(err)
	}
	compareFrozen(t, indexName, x)
	for _, l := range x.languages {
		compiled, err := compileLanguage(l.name)
		if err != nil {
			t.Fatal(err)
		}
		compareFrozen(t, l.name, compiled)
	}
}

func compareFrozen[T any](t *testing.T, name string, compiled T) {
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
		t.Errorf("%s: the frozen table differs from the compiled one", name)
	}
}
