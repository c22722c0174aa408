package rules

import (
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/segment"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// version changes with the engine and with the tables.
const version = "pamline-rules/1.0.0"

// Extractor reads conversations with the tables of all languages. It is safe for concurrent use.
type Extractor struct {
	open func() *book
}

var (
	_ extract.Extractor = (*Extractor)(nil)
	_ extract.Preparer  = (*Extractor)(nil)
)

// New gives the extractor with the tables that pamline comes with.
func New() *Extractor { return &Extractor{open: standard} }

// Name is "rules".
func (*Extractor) Name() string { return "rules" }

// Version is that of engine and tables together.
func (*Extractor) Version() string { return version }

// Prepare opens the table of English, which nearly every export needs.
func (x *Extractor) Prepare() {
	b := x.open()
	if l := b.number("en"); l >= 0 {
		b.table(l)
	}
}

// Extract reads what the person wrote. raw is not needed.
func (x *Extractor) Extract(doc *pamio.Conversation, _ []byte) ([]normalize.Candidate, extract.Report) {
	turns, forbidden := extract.Turns(doc)
	r := newReader(x.open(), doc)
	if forbidden {
		r.report.Skip("do_not_remember")
		return nil, r.report
	}
	if extract.PromptsOnly(doc) {
		r.report.Skip("prompts_only")
		return nil, r.report
	}
	r.read(turns)
	return r.out, r.report
}

// cut cuts the message that is read, which is the r.nth of the person's.
func (r *reader) cut(msg *extract.Turn) []segment.Segment {
	if r.nth < len(r.begun) && r.begun[r.nth] != (segment.Begun{}) {
		b := r.begun[r.nth]
		r.begun[r.nth] = segment.Begun{}
		return r.frame.Finish(b)
	}
	return r.frame.Cut(msg.Text, msg.Opaque)
}

// read reads the turns of a conversation in order.
func (r *reader) read(turns []extract.Turn) {
	r.m.work = &r.work
	r.look(turns)
	r.nth = -1
	for i := range turns {
		msg := &turns[i]
		if !msg.Own {
			r.frame.See(msg.Role, msg.Text)
			continue
		}
		r.nth++
		parts := r.cut(msg)
		if r.frame.Pretending() {
			r.report.Skip("pretending")
			continue
		}
		r.turn(msg, parts)
	}
}
