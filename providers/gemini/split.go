package gemini

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/extsort"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// Split reads all logs to their end, which are one set of rows, and then gives a unit for each
// conversation, each event that belongs to none, each Gem, and each count of what was left out.
// What cannot be read comes first.
func (imp Importer) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	return imp.split(ctx, c, limits, sortBudget)
}

// split is Split with as many bytes of rows in memory as budget says; it changes no unit.
func (imp Importer) split(ctx context.Context, c importer.Claim, limits importer.Limits, budget int64) iter.Seq2[importer.Unit, error] {
	return func(yield func(importer.Unit, error) bool) {
		s := &splitter{imp: imp, ctx: ctx, claim: c, limits: limits.WithDefaults(), yield: yield, members: make([]memberRows, len(c.Members))}
		s.sorter = extsort.New(limits.Scratch, budget)
		s.large.dir = limits.Scratch
		more := s.run()
		if err := errors.Join(s.sorter.Close(), s.large.close()); err != nil && more {
			yield(importer.Unit{}, err)
		}
	}
}

// splitter is one run of Split.
type splitter struct {
	imp     Importer
	ctx     context.Context
	claim   importer.Claim
	limits  importer.Limits
	yield   func(importer.Unit, error) bool
	sorter  *extsort.Sorter
	large   aside
	members []memberRows

	doc      jsonscan.Doc
	identity []byte // memory for one row
}

// memberRows is what is known of the rows of one log.
type memberRows struct {
	oldest, newest normalize.Instant
	rows           int
	counts         map[string]int // of what was left out, by code
}

func (m *memberRows) count(code string) {
	if m.counts == nil {
		m.counts = map[string]int{}
	}
	m.counts[code]++
}

func (m *memberRows) saw(at normalize.Instant) {
	if m.rows == 0 || at.Compare(m.oldest) < 0 {
		m.oldest = at
	}
	if m.rows == 0 || at.Compare(m.newest) > 0 {
		m.newest = at
	}
	m.rows++
}

func (s *splitter) unit(member int) importer.Unit {
	m := s.claim.Members[member]
	return importer.Unit{Member: m.Member, Role: m.Role, Limits: s.limits, Context: s.context(1)}
}

func (s *splitter) context(occurrence int) unitContext {
	found, _ := s.claim.Context.(*assets)
	return unitContext{assets: found, occurrence: occurrence}
}

// run tells whether more is wanted.
func (s *splitter) run() bool {
	for i, m := range s.claim.Members {
		more := true
		switch m.Role {
		case roleLog:
			more = s.log(i)
		case rolePage:
			more = s.page(i)
		case roleGems:
			more = s.gems(i)
		}
		if !more {
			return false
		}
	}
	return s.conversations() && s.reports()
}

// log sorts the rows of a list.
func (s *splitter) log(member int) bool {
	failed := error(nil)
	more := cut.Elements(s.ctx, s.unit(member), cut.Options{Recognize: isRowStart}, func(u importer.Unit, err error) bool {
		if err != nil || u.Err != nil {
			return s.yield(u, err)
		}
		if bad := s.row(member, u); bad != nil {
			u.Err, u.Raw = bad.unit, nil
			if bad.err != nil {
				failed = bad.err
				return false
			}
			return s.yield(u, nil)
		}
		return true
	})
	if failed != nil {
		return s.yield(importer.Unit{}, failed)
	}
	return more
}

func isRowStart(prefix []byte) bool {
	s := importer.Sniff(prefix)
	return s.Root["header"] != 0 && (s.Root["title"] != 0 || s.Root["time"] != 0)
}

// rowFault is why a row was not sorted: it cannot be read, or nothing can be.
type rowFault struct {
	unit *importer.UnitError
	err  error
}

func (s *splitter) row(member int, u importer.Unit) *rowFault {
	bad := func(code, reason string) *rowFault {
		return &rowFault{unit: &importer.UnitError{Member: u.Member.Name, Index: u.Index, Offset: u.Offset, Size: int64(len(u.Raw)), Code: code, Reason: reason}}
	}
	if err := s.doc.Parse(u.Raw, s.limits.MaxDepth); err != nil {
		var syn *jsonscan.SyntaxError
		if errors.Is(err, jsonscan.ErrTooDeep) && errors.As(err, &syn) {
			return bad("too_deep", fmt.Sprintf("the row is %s at byte %d of it; raise limits.max_depth to read it", syn.Reason, syn.Offset))
		}
		if errors.As(err, &syn) {
			return bad("syntax", fmt.Sprintf("the row is not JSON: %s at byte %d of it", syn.Reason, syn.Offset))
		}
		return bad("syntax", "the row is not JSON")
	}
	root := s.doc.Root()
	if !isRow(root) {
		return bad("not_a_row", "the element has no header with a title or time: it is no row of an activity log")
	}
	r := s.imp.readRow(root)
	if !r.gemini {
		s.members[member].count(skipOtherProduct)
		return nil
	}
	s.identity = normalize.AppendIdentity(s.identity[:0], root)
	digest := short(s.identity)
	if cap(s.identity) > largeRow {
		s.identity = nil
	}
	out := sortedRow{at: r.at, digest: digest, member: member, index: u.Index, offset: u.Offset, raw: u.Raw}
	if err := s.sort(out, &r.item, rowsByID, rowsByPrompt); err != nil {
		return &rowFault{err: err}
	}
	return nil
}

// sort adds a row to its group.
func (s *splitter) sort(out sortedRow, i *item, byID, byPrompt class) error {
	out.event = i.kind != exchange
	switch id := i.conversation(); {
	case id != "":
		out.class, out.group = byID, short([]byte(id))
	case out.event:
		out.class, out.group = looseEvent, out.digest
	default:
		out.class, out.group = byPrompt, short([]byte(i.key()))
	}
	s.members[out.member].saw(out.at)
	return out.add(s.sorter, &s.large)
}

// hold waits until there is memory for n bytes of the cell that is being read.
func (s *splitter) hold(n int64) error {
	if s.limits.Memory == nil {
		return nil
	}
	return s.limits.Memory.Hold(s.ctx, n)
}

// page sorts the cells of a page.
func (s *splitter) page(member int) bool {
	u := s.unit(member)
	bad := func(index int, offset, size int64, code, reason string) bool {
		u.Index, u.Offset = index, offset
		u.Err = &importer.UnitError{Member: u.Member.Name, Index: index, Offset: offset, Size: size, Code: code, Reason: reason}
		return s.yield(u, nil)
	}
	r, err := u.Member.Open(s.ctx)
	if err != nil {
		if s.ctx.Err() != nil {
			return s.yield(importer.Unit{}, s.ctx.Err())
		}
		return bad(0, 0, 0, cut.CodeUnread, "the file cannot be read: "+err.Error())
	}
	defer func() {
		_, _ = io.Copy(io.Discard, r) // whoever hashes what is read has all of it
		_ = r.Close()                 // only read
	}()
	cells := newCellReader(importer.UTF8(r), s.limits.MaxConversation)
	cells.hold = s.hold
	for index := 0; ; index++ {
		if err := cmp.Or(s.ctx.Err(), s.hold(0)); err != nil {
			return s.yield(importer.Unit{}, err)
		}
		cell, err := cells.read()
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err != nil && s.ctx.Err() != nil:
			return s.yield(importer.Unit{}, s.ctx.Err())
		case err != nil:
			return bad(index, cells.at, 0, cut.CodeUnread, "the file cannot be read to its end: "+err.Error())
		case cell.tooBig:
			if !bad(index, cell.offset, cell.size, cut.CodeTooBig, fmt.Sprintf("the cell has %d bytes, more than the limit of %d; raise limits.max_conversation to read it", cell.size, s.limits.MaxConversation)) {
				return false
			}
			continue
		}
		html := strings.ToValidUTF8(string(cell.html), "\uFFFD")
		c := readCell(html)
		switch {
		case cell.cut:
			if !bad(index, cell.offset, cell.size, cut.CodeTruncated, "the page ends inside this cell; those before it were read") {
				return false
			}
			continue
		case c.product == "" && !c.gemini:
			if !bad(index, cell.offset, cell.size, "not_a_row", "the cell does not name its product") {
				return false
			}
			continue
		case !c.gemini:
			s.members[member].count(skipOtherProduct)
			continue
		}
		raw := appendCell(nil, html)
		out := sortedRow{at: c.at, digest: short(raw), member: member, index: index, offset: cell.offset, raw: raw}
		if err := s.sort(out, &c.item, cellsByID, cellByPrompt); err != nil {
			return s.yield(importer.Unit{}, err)
		}
	}
}

// reports gives the counts of what was left out.
func (s *splitter) reports() bool {
	for i, m := range s.members {
		for _, code := range []string{skipOtherProduct, skipDuplicate} {
			if m.counts[code] == 0 {
				continue
			}
			u := s.unit(i)
			u.Role, u.Index = roleReport, m.rows
			u.Raw = fmt.Appendf(nil, `{"code":%q,"count":%d}`, code, m.counts[code])
			if !s.yield(u, nil) {
				return false
			}
		}
	}
	return true
}
