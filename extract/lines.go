package extract

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// DefaultMaxLine is the greatest length of a line in bytes when none is given.
const DefaultMaxLine = 256 << 20

// MaxLineErrors is how many line errors Stats keeps in full.
const MaxLineErrors = 100

// LineError is one line that could not be read. It gave no candidates; the lines after it did.
type LineError struct {
	Line   int64 `json:"line"`   // from 1
	Offset int64 `json:"offset"` // of its first byte in the input
	Err    error `json:"-"`
}

func (e *LineError) Error() string {
	return fmt.Sprintf("read conversation: line %d, byte %d: %v", e.Line, e.Offset, e.Err)
}

func (e *LineError) Unwrap() error { return e.Err }

// ErrLineTooLong is wrapped by the LineError of a line beyond the limit, which is passed over
// without being held.
var ErrLineTooLong = errors.New("the line is longer than the limit")

// Stats is the account of Lines.
type Stats struct {
	Conversations int64
	Candidates    int64
	// Failed counts the lines that could not be read; Errors are the first MaxLineErrors of them.
	Failed int64
	Errors []*LineError
	// Reports is what each extractor met, in the order of the extractors.
	Reports []Report
	// Troubles is why the service of an extractor could not be asked, in the same order; nil when
	// it could. From then on the extractor only read what was answered before.
	Troubles []*AskError
}

// LineOptions are the settings of RunLines; the zero value is that of Lines.
type LineOptions struct {
	// MaxLine is the greatest length of a line in bytes. Default DefaultMaxLine.
	MaxLine int
	// Rejects takes what a gate held back, as JSON Lines; nil is nobody.
	Rejects io.Writer
	// Answers keeps what was answered to extractors that ask; without it they only read, and find
	// nothing.
	Answers Answers
}

// RunLines reads conversations as JSON Lines from r and writes their candidates as JSON Lines to w:
// in the order of the conversations, then of the extractors, then of what they give. It holds one
// conversation at a time. A line that is no conversation is counted in Stats and passed over; the
// error is that of r, w or ctx.
func RunLines(ctx context.Context, r io.Reader, w io.Writer, extractors []Extractor, o LineOptions) (stats Stats, err error) {
	if o.MaxLine == 0 {
		o.MaxLine = DefaultMaxLine
	}
	stats.Reports, stats.Troubles = make([]Report, len(extractors)), make([]*AskError, len(extractors))
	in := &lineReader{r: bufio.NewReaderSize(r, 64<<10), max: o.MaxLine}
	out := bufio.NewWriterSize(w, 64<<10)
	var buf []byte
	for {
		if err := ctx.Err(); err != nil {
			return stats, errors.Join(err, out.Flush())
		}
		line, lineErr := in.next()
		if errors.Is(lineErr, io.EOF) {
			break
		}
		if lineErr != nil && !errors.Is(lineErr, ErrLineTooLong) {
			return stats, errors.Join(fmt.Errorf("read conversations: line %d: %w", in.number, lineErr), out.Flush())
		}
		var doc *pamio.Conversation
		if lineErr == nil {
			doc, lineErr = pamio.ParseConversation(line)
		}
		if lineErr != nil {
			stats.Failed++
			if len(stats.Errors) < MaxLineErrors {
				stats.Errors = append(stats.Errors, &LineError{Line: in.number, Offset: in.start, Err: lineErr})
			}
			continue
		}
		stats.Conversations++
		for i, x := range extractors {
			candidates, report, err := one(ctx, x, doc, line, o.Answers, &stats.Troubles[i])
			stats.Reports[i].Add(report)
			if err != nil {
				return stats, errors.Join(fmt.Errorf("extract line %d: %w", in.number, err), out.Flush())
			}
			if o.Rejects != nil {
				buf = buf[:0]
				for j := range report.Rejects {
					buf = report.Rejects[j].AppendLine(buf)
				}
				if _, err := o.Rejects.Write(buf); err != nil {
					return stats, fmt.Errorf("write rejects: %w", err)
				}
			}
			Finish(candidates)
			for j := range candidates {
				buf = AppendFlat(buf[:0], &candidates[j])
				if _, err := out.Write(buf); err != nil {
					return stats, fmt.Errorf("write candidates: %w", err)
				}
				stats.Candidates++
			}
		}
	}
	if err := out.Flush(); err != nil {
		return stats, fmt.Errorf("write candidates: %w", err)
	}
	return stats, nil
}

// one asks one extractor about one conversation. A service that cannot be asked takes nothing from
// the other extractors.
func one(ctx context.Context, x Extractor, doc *pamio.Conversation, line []byte, answers Answers, trouble **AskError) ([]normalize.Candidate, Report, error) {
	asking, ok := x.(Asking)
	if !ok || answers == nil {
		candidates, report := x.Extract(doc, line)
		return candidates, report, nil
	}
	if *trouble == nil {
		docs := func(yield func(*pamio.Conversation, error) bool) { yield(doc, nil) }
		if _, err := asking.Ask(ctx, docs, answers); err != nil && (ctx.Err() != nil || !errors.As(err, trouble)) {
			return nil, Report{}, err
		}
	}
	return asking.Read(ctx, doc, answers)
}

// AppendFlat appends a candidate as `pamline extract` prints it, with its line feed: the first
// evidence lies flat in the object, more of them in "evidence". Evidence of a record has "pointer"
// in place of "start", "end" and "quote".
func AppendFlat(dst []byte, c *normalize.Candidate) []byte {
	w := writer{dst: append(dst, '{')}
	var first normalize.Evidence
	if len(c.Evidence) > 0 {
		first = c.Evidence[0]
	}
	w.some("conversation", first.Conversation)
	w.some("message", first.Message)
	if first.Pointer == "" {
		w.number("start", float64(first.Start))
		w.number("end", float64(first.End))
		w.text("quote", first.Quote)
	} else {
		w.some("member", first.Member)
		w.text("pointer", first.Pointer)
	}
	w.says(c)
	w.some("observed_at", first.ObservedAt)
	w.text("platform", c.Platform)
	w.some("account_id", first.AccountID)
	w.provenance(c)
	if len(c.Evidence) > 1 {
		w.evidence("evidence", c.Evidence[1:])
	}
	return append(w.dst, '}', '\n')
}

// lineReader cuts a stream into lines that are not blank. A byte order mark before the first is
// passed over.
type lineReader struct {
	r      *bufio.Reader
	max    int
	buf    []byte
	number int64 // of the line, from 1
	start  int64 // of the line, in bytes
	offset int64 // of what comes next
}

// next gives a line without its line feed, valid until the next call.
func (l *lineReader) next() ([]byte, error) {
	for {
		l.number++
		l.start = l.offset
		l.buf = l.buf[:0]
		long := false
		for {
			piece, err := l.r.ReadSlice('\n')
			l.offset += int64(len(piece))
			piece = bytes.TrimSuffix(piece, []byte("\n"))
			if !long && len(l.buf)+len(piece) > l.max {
				long = true
				l.buf = l.buf[:0]
			}
			if !long {
				l.buf = append(l.buf, piece...)
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if errors.Is(err, io.EOF) && l.offset > l.start {
				break
			}
			if err != nil {
				return nil, err
			}
			break
		}
		if long {
			return nil, ErrLineTooLong
		}
		if l.number == 1 {
			l.buf = bytes.TrimPrefix(l.buf, []byte("\xef\xbb\xbf"))
		}
		if line := bytes.TrimSpace(l.buf); len(line) > 0 {
			return line, nil
		}
	}
}
