package normalize

import "testing"

func TestFoldValueMakesEqualValuesEqual(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "  Berlin ": "berlin", "São  Paulo!": "sao paulo", "C++": "c++", "C#": "c#", "O’Brien": "obrien", "36-year": "36 year",
		"Zürich, Schweiz": "zurich schweiz", "...": "", "東京": "東京", "İzmir": "izmir",
	} {
		if got := FoldValue(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if again := FoldValue(want); again != want {
			t.Errorf("%q folded again: %q", want, again)
		}
	}
}
