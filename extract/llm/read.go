package llm

import (
	"context"
	"fmt"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// Extract is Read without answers: everything there is to ask counts as not asked.
func (x *Extractor) Extract(doc *pamio.Conversation, _ []byte) ([]normalize.Candidate, extract.Report) {
	found, report, err := x.Read(context.Background(), doc, nothing{})
	if err != nil {
		report.Fail(FailMissing) // nothing and the background context give no errors
	}
	return found, report
}

// Read makes candidates of the recorded answers about one conversation. It asks nothing.
func (x *Extractor) Read(ctx context.Context, doc *pamio.Conversation, answers extract.Answers) ([]normalize.Candidate, extract.Report, error) {
	var report extract.Report
	if extract.Forbidden(doc) {
		report.Skip(SkipForbidden)
		return nil, report, nil
	}
	if extract.PromptsOnly(doc) {
		report.Skip(SkipPrompts)
		return nil, report, nil
	}
	if answers == nil {
		answers = nothing{}
	}
	r := reader{x: x, answers: answers, report: &report, seen: map[string]bool{}}
	for _, c := range x.chunks(doc) {
		if err := r.read(ctx, c); err != nil {
			return nil, report, fmt.Errorf("read answers about conversation %s: %w", doc.ID, err)
		}
	}
	return r.found, report, nil
}

// reader reads the answers about one conversation.
type reader struct {
	x       *Extractor
	answers extract.Answers
	report  *extract.Report
	seen    map[string]bool
	found   []normalize.Candidate
}

func (r *reader) read(ctx context.Context, c chunk) error {
	value, ok, err := r.answers.Get(ctx, r.x.chunkKey(c.text()))
	if err != nil {
		return err
	}
	if !ok {
		r.report.Fail(FailMissing)
		return nil
	}
	record, ok := parseRecorded(value)
	if !ok {
		r.report.Fail(FailDamaged)
		return nil
	}
	switch record.State {
	case statePending:
		r.report.Fail(FailPending)
	case stateFailed:
		r.report.Fail(record.Reason)
	case stateSplit:
		halves := c.halves()
		if halves == nil {
			r.report.Fail(record.Reason)
		}
		for _, half := range halves {
			if err := r.read(ctx, half); err != nil {
				return err
			}
		}
	case stateOK:
		said, err := parseAnswer(record.Text)
		if err != nil {
			r.report.Fail(FailUnread)
			return nil
		}
		j := judge{x: r.x, chunk: c, report: r.report, seen: r.seen}
		j.addAnswer(said)
		r.found = append(r.found, j.out...)
	}
	return nil
}

// nothing is what is recorded before anything was asked.
type nothing struct{}

func (nothing) Get(context.Context, string) ([]byte, bool, error) { return nil, false, nil }

func (nothing) Put(context.Context, string, []byte) error { return nil }

func (nothing) Spent(context.Context) (extract.Usage, error) { return extract.Usage{}, nil }

func (nothing) Spend(context.Context, extract.Usage) error { return nil }
