package importer

import (
	"errors"
	"testing"
)

// Equal shapes are kept once. Whatever Sniff tells apart stays apart.
func TestATableKeepsEachShapeOnce(t *testing.T) {
	table := newShapeTable()
	texts := []string{
		``, `[]`, `{}`, `[1]`, `[1,2]`, `{"a":1}`, `{"a":"1"}`, `{"b":1}`, `{"a":1}` + "\n" + `{"a":1}`, `[{"a":1}]`, `[{"a":1},{"a":1}]`, `[{"a":1},1]`,
		`{"a":[{"b":1}]}`, `{"c":[{"b":1}]}`, `{"a":{"b":1}}`, `{"a":{"b":"1"}}`, `<html>`, "text", "SQLite format 3\x00",
	}
	seen := map[*shaped]string{}
	for _, text := range texts {
		first := table.keepShape(Sniff([]byte(text)), nil)
		if other, ok := seen[first]; ok {
			t.Errorf("%q and %q are one shape", text, other)
		}
		seen[first] = text
		weight := table.weight
		if again := table.keepShape(Sniff([]byte(text)), nil); again != first || table.weight != weight {
			t.Errorf("%q is kept twice", text)
		}
	}
	// What could not be read is told of that member alone.
	failed := errors.New("cut short")
	if broken := table.keepShape(Sniff([]byte(`{"a":1}`)), failed); !errors.Is(broken.err, failed) || table.keepShape(Sniff([]byte(`{"a":1}`)), nil).err != nil {
		t.Error("the error of one member is that of others")
	}
}
