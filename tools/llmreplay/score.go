package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/llm"
	"github.com/pamline/pamline/extract/rules"
	"github.com/pamline/pamline/pamio"
)

// activeFrom is the confidence from which a store shows a memory without further evidence.
const activeFrom = 0.5

// count is how many memories there are, by the annotators' verdict.
type count struct{ approved, rejected int }

func (c *count) add(approved bool) {
	if approved {
		c.approved++
	} else {
		c.rejected++
	}
}

func (c count) sum() int { return c.approved + c.rejected }

// result is what became of the recorded memories.
type result struct {
	sessions int
	all      count
	// kept are those of which the extractor made a candidate, active those with a candidate that a
	// store shows, agreed those in a turn in which the rules found something, too.
	kept, active, agreed count
	// lost are those without a candidate, by the reason of the last reject.
	lost map[string]count
	// levels are the kept ones by confidence.
	levels map[float64]count
	others []count // by acceptance
	// examples are the contents of what was lost, and their reasons.
	examples []string
}

// replay asks the extractor about each recorded memory by itself, at a server that answers with it,
// and notes what was kept.
func replay(ctx context.Context, address string, s *server) (result, error) {
	sessions := s.index.sessions
	r := result{sessions: len(sessions), lost: map[string]count{}, levels: map[float64]count{}, others: make([]count, len(acceptances))}
	x, err := llm.New(llm.Options{URL: address + "/v1", Model: "recorded", Now: time.Now, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	if err != nil {
		return r, err
	}
	byRule := rules.New()
	for i := range sessions {
		one := &sessions[i]
		for k, a := range acceptances {
			seen := map[string]bool{}
			for j := range one.memories {
				if a.keep(one, &one.memories[j], seen) {
					r.others[k].add(one.memories[j].approved)
				}
			}
		}
		if len(one.memories) == 0 {
			continue
		}
		doc := one.conversation()
		ruled := map[string]bool{}
		candidates, _ := byRule.Extract(doc, nil)
		for _, c := range candidates {
			for _, e := range c.Evidence {
				ruled[e.Message] = true
			}
		}
		for j := range one.memories {
			s.choose(j)
			v, err := ask(ctx, x, doc)
			if err != nil {
				return r, fmt.Errorf("replay session %s: %w", one.id, err)
			}
			r.note(&one.memories[j], v, ruled)
		}
	}
	s.choose(-1)
	return r, nil
}

// verdict is what the extractor made of one memory.
type verdict struct {
	kept       bool
	confidence float64
	messages   []string
	reason     string
}

// ask gets and reads the answer about one conversation, with nothing recorded before.
func ask(ctx context.Context, x *llm.Extractor, doc *pamio.Conversation) (verdict, error) {
	answers := &answers{values: map[string][]byte{}}
	docs := func(yield func(*pamio.Conversation, error) bool) { yield(doc, nil) }
	if _, err := x.Ask(ctx, docs, answers); err != nil {
		return verdict{}, err
	}
	found, report, err := x.Read(ctx, doc, answers)
	if err != nil {
		return verdict{}, err
	}
	v := verdict{reason: "not-answered"}
	for _, c := range found {
		v.kept, v.confidence = true, max(v.confidence, c.Confidence)
		for _, e := range c.Evidence {
			if err := checkSpan(doc, &e.Start, &e.End, e.Message, e.Quote); err != nil {
				return v, err
			}
			v.messages = append(v.messages, e.Message)
		}
	}
	for _, reject := range report.Rejects {
		v.reason = reject.Reason
	}
	if len(report.Rejects) == 0 && report.Records > 0 && !v.kept {
		v.reason = strings.Join(slices.Sorted(maps.Keys(report.Skipped)), "+")
	}
	for reason := range report.Failed {
		return v, fmt.Errorf("read answer: %s", reason)
	}
	return v, nil
}

// checkSpan holds evidence to its contract: the quote is what stands there, in a message of the
// person.
func checkSpan(doc *pamio.Conversation, start, end *int, message, quote string) error {
	for i := range doc.Messages {
		m := &doc.Messages[i]
		if m.ID != message {
			continue
		}
		runes := []rune(m.PlainText())
		if m.Role == "user" && *start >= 0 && *end <= len(runes) && *start < *end && string(runes[*start:*end]) == quote {
			return nil
		}
	}
	return errors.New("the evidence of a candidate is no span of the person's words")
}

func (r *result) note(m *memory, v verdict, ruled map[string]bool) {
	r.all.add(m.approved)
	if !v.kept {
		n := r.lost[v.reason]
		n.add(m.approved)
		r.lost[v.reason] = n
		r.examples = append(r.examples, fmt.Sprintf("%s\t%t\t%s\t<- %s", v.reason, m.approved, m.Value, strings.Join(m.quotes(), " / ")))
		return
	}
	r.kept.add(m.approved)
	n := r.levels[v.confidence]
	n.add(m.approved)
	r.levels[v.confidence] = n
	if v.confidence >= activeFrom {
		r.active.add(m.approved)
	}
	if slices.ContainsFunc(v.messages, func(id string) bool { return ruled[id] }) {
		r.agreed.add(m.approved)
	}
}

func (r *result) print(out io.Writer) error {
	var rows strings.Builder
	fmt.Fprintf(&rows, "recorded answers: %d conversations, %d memories that annotators approved, %d that they rejected\n\n", r.sessions, r.all.approved, r.all.rejected)
	fmt.Fprint(&rows, "acceptance\tapproved kept\trejected kept\tprecision\t\n")
	row := func(name string, n count) {
		fmt.Fprintf(&rows, "%s\t%s\t%s\t%s\t\n", name, share(n.approved, r.all.approved), share(n.rejected, r.all.rejected), share(n.approved, n.sum()))
	}
	for i, a := range acceptances {
		row(a.name, r.others[i])
	}
	row("pamline: any confidence", r.kept)
	row("pamline: shown by a store", r.active)
	row("pamline: the rules agree", r.agreed)
	fmt.Fprint(&rows, "\nconfidence\tapproved\trejected\tprecision\t\n")
	for _, c := range slices.Backward(slices.Sorted(maps.Keys(r.levels))) {
		n := r.levels[c]
		fmt.Fprintf(&rows, "%.2f\t%d\t%d\t%s\t\n", c, n.approved, n.rejected, share(n.approved, n.sum()))
	}
	fmt.Fprint(&rows, "\nrejected by pamline\tapproved\trejected\tprecision\t\n")
	for _, reason := range slices.SortedFunc(maps.Keys(r.lost), func(a, b string) int {
		return cmp.Or(r.lost[b].sum()-r.lost[a].sum(), cmp.Compare(a, b))
	}) {
		n := r.lost[reason]
		fmt.Fprintf(&rows, "%s\t%d\t%d\t%s\t\n", reason, n.approved, n.rejected, share(n.approved, n.sum()))
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, err := io.WriteString(w, rows.String())
	if err := errors.Join(err, w.Flush()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

func share(a, b int) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", float64(a)/float64(b))
}

// answers keeps what was answered about one conversation.
type answers struct {
	mu     sync.Mutex
	values map[string][]byte
}

func (a *answers) Get(_ context.Context, key string) ([]byte, bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	v, ok := a.values[key]
	return v, ok, nil
}

func (a *answers) Put(_ context.Context, key string, value []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.values[key] = value
	return nil
}

func (*answers) Spent(context.Context) (extract.Usage, error) { return extract.Usage{}, nil }

func (*answers) Spend(context.Context, extract.Usage) error { return nil }
