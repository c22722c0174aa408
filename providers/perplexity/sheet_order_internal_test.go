package perplexity

import (
	"slices"
	"testing"
)

// A workbook may name its cells in any order, and one of them twice.
func TestCellsOfARowAreInTheOrderOfTheirColumnsHoweverTheyCame(t *testing.T) {
	for name, columns := range map[string][]int{"in order": {1, 2, 5, 9}, "backwards": {9, 5, 2, 1}, "one twice": {1, 9, 9, 2, 5, 1}, "mixed": {5, 1, 9, 2, 5}} {
		var r row
		last := map[int]string{}
		for i, column := range columns {
			last[column] = string(rune('a' + i))
			r.put(cell{column: column, isText: true, text: last[column]})
		}
		r.sort()
		var got []int
		for _, c := range r.cells {
			got = append(got, c.column)
			if c.text != last[c.column] {
				t.Errorf("%s: column %d has %q, want %q", name, c.column, c.text, last[c.column])
			}
		}
		if !slices.Equal(got, []int{1, 2, 5, 9}) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func BenchmarkCellsOfARowBackwards(b *testing.B) {
	for b.Loop() {
		var r row
		for column := maxColumns - 1; column >= 0; column-- {
			r.put(cell{column: column})
		}
		r.sort()
	}
}
