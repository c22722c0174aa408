package jsonscan_test

import (
	"testing"

	"github.com/pamline/pamline/pamio/jsonscan"
)

func TestWhatStandsInStringsIsNotCounted(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "{": 1, `{"a":{},"b":[{}]}`: 3, `{"{":"{\"{\\"}`: 1, `"{\\",{`: 1, `{"{`: 1, `[{"a":"x\\\"{"},{}]`: 2,
	} {
		if got := jsonscan.Count([]byte(text), '{'); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
