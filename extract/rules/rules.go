package rules

import (
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// version changes with the engine and with the tables.
const version = "pamline-rules/1.0.0"

// Extractor reads conversations with the tables of all languages. It is safe for concurrent use.
type Extractor struct {
	open func() *book
}

var _ extract.Extractor = (*Extractor)(nil)

// standard is compiled when the first conversation is read: it takes longer than most conversations.
var standard = sync.OnceValue(func() *book {
	sources, err := readBuiltin()
	if err != nil {
		panic(fmt.Sprintf("rules: a table of the build is broken: %v", err))
	}
	b, err := newBook(sources)
	if err != nil {
		panic(fmt.Sprintf("rules: a table of the build is broken: %v", err))
	}
	return b
})

// New gives the extractor with the tables that pamline comes with.
func New() *Extractor { return &Extractor{open: standard} }

// book is the tables that are read with, compiled.
type book struct {
	tables  []*table
	tongues *tongues
}

func newBook(sources []*source) (*book, error) {
	b := &book{tables: make([]*table, len(sources))}
	var g errgroup.Group // a table takes longer to compile than most conversations to read
	for i, src := range sources {
		g.Go(func() (err error) {
			b.tables[i], err = compileTable(src)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var marks, elisions [][]string
	for _, src := range sources {
		var list []string
		for _, p := range src.Marks.list {
			list = append(list, p.said)
		}
		marks, elisions = append(marks, list), append(elisions, src.Elisions)
	}
	b.tongues = newTongues(b.tables, marks, elisions)
	return b, nil
}

// Name is "rules".
func (*Extractor) Name() string { return "rules" }

// Version is that of engine and tables together.
func (*Extractor) Version() string { return version }

// Extract reads what the person wrote. raw is not needed.
func (x *Extractor) Extract(doc *pamio.Conversation, _ []byte) ([]normalize.Candidate, extract.Report) {
	turns, forbidden := extract.Turns(doc)
	b := x.open()
	r := reader{book: b, doc: doc, sums: make([]int, len(b.tables)), own: make([]int, len(b.tables))}
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
		parts := r.frame.Cut(msg.Text, msg.Opaque)
		if r.frame.Pretending() {
			r.report.Skip("pretending")
			continue
		}
		r.turn(msg, parts)
	}
}
