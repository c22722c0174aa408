package llm

import (
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/segment"
	"github.com/pamline/pamline/pamio"
)

// chunks cuts a document into the questions about it: none for one that is marked "do not
// remember", that is a list of prompts, or in which the person says nothing.
func (x *Extractor) chunks(doc *pamio.Conversation) []chunk {
	turns, forbidden := extract.Turns(doc)
	if forbidden || extract.PromptsOnly(doc) {
		return nil
	}
	t := &talk{doc: doc, size: x.chunkSize, turns: turns, pretends: make([]bool, len(turns))}
	parts := make([][]part, len(turns))
	var frame segment.Frame
	var vote segment.Vote
	for i := range turns {
		turn := &turns[i]
		if !turn.Own {
			frame.See(turn.Role, turn.Text)
			continue
		}
		segments := frame.Cut(turn.Text, turn.Opaque)
		t.pretends[i] = frame.Pretending()
		if t.date == "" {
			t.date = day(turn.ObservedAt)
		}
		for _, s := range segments {
			if s.Kind == segment.Injected || s.Start >= s.End {
				continue // a program put it there; nobody said it
			}
			p := part{Span: extract.Span{Start: s.Start, End: s.End}, voice: voices[s.Kind]}
			parts[i] = append(parts[i], p)
			if p.isOwn() {
				vote.Add(turn.Text[s.Start:s.End])
			}
		}
	}
	t.lang = vote.Winner()
	return t.chunks(func(turn int) []part { return parts[turn] })
}

// languageOf is the language of a quote that is long enough to tell, "" otherwise.
func languageOf(quote string) string {
	const enough = 40
	if len(quote) < enough {
		return ""
	}
	return segment.Language(quote)
}
