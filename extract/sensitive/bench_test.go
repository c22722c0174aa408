package sensitive

import "testing"

func BenchmarkKindOf(b *testing.B) {
	tables()
	bytes := 0
	contents := map[string]string{
		"Works as a nurse in a small hospital near Leeds.": "en", "Takes sertraline for depression and sees a therapist every week.": "en",
		"Lebt mit einer Katze in einer kleinen Stadt am Rhein.": "de", "妹と一緒に大阪に住んでいる。": "ja", "Has two dogs, a red bicycle and a garden.": "",
	}
	for content := range contents {
		bytes += len(content)
	}
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		for content, language := range contents {
			KindOf(content, language)
		}
	}
}
