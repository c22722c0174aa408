package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// Units makes units of the rows of one database. Methods that tell whether to go on must not be
// followed by others once they say no.
type Units struct {
	Ctx context.Context
	DB  *DB

	unit  importer.Unit
	index int
	held  int64 // bytes of rows that were read since a unit was yielded last
	yield func(importer.Unit, error) bool
}

// ReadUnits opens the database that u is for and lets all make units of it. What cannot be read
// becomes a unit with the reason. It tells whether to go on.
func ReadUnits(ctx context.Context, u importer.Unit, wal *archive.Member, yield func(importer.Unit, error) bool, all func(*Units) bool) bool {
	u.Limits = u.Limits.WithDefaults()
	db, err := Open(ctx, u.Member, wal, u.Limits)
	r := &Units{Ctx: ctx, DB: db, unit: u, yield: yield}
	if err != nil {
		return r.Fault(err)
	}
	more := all(r)
	if err := db.Close(); err != nil && more {
		return yield(importer.Unit{}, err)
	}
	return more
}

// Limits are those of the units.
func (r *Units) Limits() importer.Limits { return r.unit.Limits }

// Give yields a unit.
func (r *Units) Give(role string, raw []byte) bool {
	u := r.unit
	u.Role, u.Index, u.Raw = role, r.index, raw
	r.index++
	r.held = 0
	return r.yield(u, nil)
}

// TooBig yields the reason why something with so many bytes is not read.
func (r *Units) TooBig(what string, size int64) bool {
	return r.bad(size, cut.CodeTooBig, fmt.Sprintf("%s has %d bytes, more than the limit of %d; raise limits.max_conversation to read it", what, size, r.unit.Limits.MaxConversation))
}

// Fault yields what is wrong with the database as a unit; any other error ends the reading.
func (r *Units) Fault(err error) bool {
	var bad *Error
	if errors.As(err, &bad) {
		return r.bad(0, cut.CodeUnread, bad.Error()+"; rows before and behind this place are read as far as they can be reached")
	}
	r.yield(importer.Unit{}, err)
	return false
}

func (r *Units) bad(size int64, code, reason string) bool {
	u := r.unit
	u.Index = r.index
	u.Err = &importer.UnitError{Member: u.Member.Name, Index: r.index, Size: size, Code: code, Reason: reason}
	r.index++
	r.held = 0
	return r.yield(u, nil)
}

// Object reads a row; nil when it cannot be read, which was reported.
func (r *Units) Object(row Row, how Columns) (raw []byte, more bool) {
	err := r.hold(row.Size)
	if err == nil {
		raw, err = r.DB.Object(r.Ctx, nil, row, how)
	}
	if err != nil {
		return nil, r.Fault(err)
	}
	return raw, true
}

// hold waits until there is memory for so many bytes more of the unit that is being put together.
// How large rows are is known before they are read.
func (r *Units) hold(more int64) error {
	r.held += more
	if r.unit.Limits.Memory == nil {
		return nil
	}
	return r.unit.Limits.Memory.Hold(r.Ctx, r.held)
}

// With puts rows into an object, as a list with a key. A row that cannot be read is reported and
// left out.
func (r *Units) With(object []byte, key string, rows []Row, how Columns) (out []byte, more bool) {
	out = object[:len(object)-1]
	if len(out) > 1 {
		out = append(out, ',')
	}
	out = append(pamio.AppendString(out, key), ":["...)
	size := int64(0)
	for _, row := range rows {
		size += row.Size + rowCost
	}
	if err := r.hold(size); err != nil {
		return nil, r.Fault(err)
	}
	some := false
	for _, row := range rows {
		from := len(out)
		if some {
			out = append(out, ',')
		}
		added, err := r.DB.Object(r.Ctx, out, row, how)
		if err != nil {
			if !r.Fault(err) {
				return nil, false
			}
			out = out[:from]
			continue
		}
		out, some = added, true
	}
	return append(out, "]}"...), true
}

// Table gives a unit for each row of a table.
func (r *Units) Table(role, table string, how Columns) bool {
	for row, err := range r.DB.Rows(r.Ctx, table) {
		if err != nil {
			if !r.Fault(err) {
				return false
			}
			continue
		}
		if row.Size > r.unit.Limits.MaxConversation {
			if !r.TooBig("a row of table "+table, row.Size) {
				return false
			}
			continue
		}
		raw, more := r.Object(row, how)
		if !more || raw != nil && !r.Give(role, raw) {
			return false
		}
	}
	return true
}

// EachGroup lets each make a unit of each group of rows; what says of what it is a group. Groups of
// rows whose own row is gone are counted in units with the role lost.
func (r *Units) EachGroup(what, lost string, each func(*Units, Group) bool, sources ...Source) bool {
	for g, err := range r.DB.Groups(r.Ctx, sources...) {
		var more bool
		switch {
		case err != nil:
			more = r.Fault(err)
		case g.Lost:
			more = r.Lost(lost, g)
		case g.TooBig:
			more = r.TooBig(what, g.Size)
		default:
			more = each(r, g)
		}
		if !more {
			return false
		}
	}
	return true
}

// PassOthers gives a unit for each table but those that are known, see [Units.Passed].
func (r *Units) PassOthers(role string, known ...string) bool {
	for _, table := range r.DB.Tables() {
		if !slices.Contains(known, table) && !r.Passed(role, table) {
			return false
		}
	}
	return true
}

// Passed gives a unit that counts the rows of a table that is not kept; none for an empty one. See
// [PassedTable].
func (r *Units) Passed(role, table string) bool {
	var n int64
	for _, err := range r.DB.Rows(r.Ctx, table) {
		if err != nil {
			return r.Fault(err)
		}
		n++
	}
	if n == 0 {
		return true
	}
	return r.Give(role, fmt.Appendf(pamio.AppendString([]byte(`{"table":`), table), `,"rows":%d}`, n))
}

// Lost gives a unit that counts the rows of a group that hang on rows that are not there. See
// [PassedTable].
func (r *Units) Lost(role string, g Group) bool {
	n := 0
	for _, rows := range g.Rows {
		n += len(rows)
	}
	return r.Give(role, fmt.Appendf(nil, `{"table":"","rows":%d}`, n))
}

// PassedTable reads a unit made by Passed.
func PassedTable(u importer.Unit) (table string, rows int, err error) {
	doc, err := jsonscan.Parse(u.Raw, 2)
	if err != nil {
		return "", 0, lossless.Fail(u, lossless.CodeSyntax, "read count of rows: %v", err)
	}
	if _, err := fmt.Sscan(string(doc.Root().Get("rows").Raw()), &rows); err != nil || rows <= 0 {
		return "", 0, lossless.Fail(u, lossless.CodeSyntax, "read count of rows: there is none")
	}
	return doc.Root().Get("table").Str(), rows, nil
}

// SkipRows is the account of the rows that a unit made by Passed or Lost counts.
func SkipRows(u importer.Unit, code, reason string) ([]importer.Item, error) {
	_, rows, err := PassedTable(u)
	if err != nil {
		return nil, err
	}
	return importer.Skipped(code, reason, rows), nil
}
