package segment

import (
	"strings"
	"testing"
)

// benchTexts are messages of different make: short talk, a long story of one's own, a letter with
// an order before it, code.
var benchTexts = []string{
	"hey, i just moved to leeds for work and i don't know anybody here yet. any ideas how to meet people who like climbing?",
	strings.Repeat("My brother has a small farm near the coast, and every summer we help him with the hay. I am not good with tractors, "+
		"so I cook for everybody. Last year it rained for three weeks! We played cards, mended fences, and told each other stories.\n\n", 12),
	"Can you make this sound friendlier?\n\nDear Ms Winter,\n\nI am writing to ask about the flat. " + strings.Repeat("It is the one with the green door, and I saw it in March. ", 20) + "\n\nKind regards,\nA. Test",
	"why does this fail?\n```go\n" + strings.Repeat("for i := range 10 {\n\tfmt.Println(i)\n}\n", 30) + "```\nI use version 1.22 on my old laptop.",
	strings.Repeat("Ich wohne seit zwei Jahren in einer kleinen Stadt am Rhein und arbeite in einer Bäckerei. Abends lerne ich Geige. ", 10),
}

func BenchmarkMessageAndSentences(b *testing.B) {
	bytes := 0
	for _, text := range benchTexts {
		bytes += len(text)
	}
	cues()
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, text := range benchTexts {
			for _, s := range Message(text, nil) {
				if s.Kind != Prose {
					continue
				}
				for range Sentences(text, s.Start, s.End) {
					n++
				}
			}
		}
		if n < 60 {
			b.Fatalf("%d sentences", n)
		}
	}
}

func BenchmarkShortMessages(b *testing.B) {
	text := benchTexts[0]
	cues()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range Message(text, nil) {
			for range Sentences(text, s.Start, s.End) {
			}
		}
	}
}

func BenchmarkLanguage(b *testing.B) {
	bytes := 0
	for _, text := range benchTexts {
		bytes += min(len(text), maxRead)
	}
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range benchTexts {
			Language(text)
		}
	}
}
