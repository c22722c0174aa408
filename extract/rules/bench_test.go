package rules

import (
	"testing"

	"github.com/pamline/pamline/pamio"
)

// BenchmarkRules reports bytes of the person's text; the aim is 10 MB/s on one core. "mixed" are
// conversations in all languages, one after the other, "statements" is talk in which each sentence
// states something.
func BenchmarkRules(b *testing.B) {
	const size = 256 << 10
	x := New()
	x.Extract(said("I live in Berlin."), nil) // compiles the tables
	var mixed, statements []*pamio.Conversation
	for i := range phrasebooks {
		p := &phrasebooks[i]
		doc := conversationOf(p.messages(1, size))
		b.Run(p.language, func(b *testing.B) { benchmarkOf(b, x, doc) })
		only := phrasebook{p.language, p.nouns, p.stated, p.stated, p.stated, p.stated}
		for n := range uint64(4) {
			mixed = append(mixed, conversationOf(p.messages(n, size/24)))
			statements = append(statements, conversationOf(only.messages(n, size/24)))
		}
	}
	b.Run("mixed", func(b *testing.B) { benchmarkOf(b, x, mixed...) })
	b.Run("statements", func(b *testing.B) { benchmarkOf(b, x, statements...) })
}

func benchmarkOf(b *testing.B, x *Extractor, docs ...*pamio.Conversation) {
	total := 0
	for _, doc := range docs {
		for i := range doc.Messages {
			total += len(doc.Messages[i].PlainText())
		}
	}
	b.SetBytes(int64(total))
	b.ReportAllocs()
	for b.Loop() {
		for _, doc := range docs {
			x.Extract(doc, nil)
		}
	}
}

// BenchmarkHeads is what the first conversation of a process pays.
func BenchmarkHeads(b *testing.B) {
	for b.Loop() {
		heads, err := readHeads()
		if err != nil {
			b.Fatal(err)
		}
		newTongues(heads)
	}
}

// BenchmarkOpenTable is what the first text of a language pays.
func BenchmarkOpenTable(b *testing.B) {
	heads, err := readHeads()
	if err != nil {
		b.Fatal(err)
	}
	for _, h := range heads {
		b.Run(h.Language, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := openTable(h.Language); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
