package sqlite

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/pamline/pamline/pamio/extsort"
)

// Row is a row of a table by its number, with the bytes of its values.
type Row struct {
	Table string
	ID    int64
	Size  int64
}

// Rows yields the rows of a table in the order of their numbers, which is that in which they were
// written. At a damaged page it gives an *Error and goes on behind it as far as the rows can be
// reached from the end of the table.
func (d *DB) Rows(ctx context.Context, table string) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		text, err := d.keys(ctx, table, nil)
		if err != nil {
			yield(Row{}, err)
			return
		}
		d.scan(ctx, text, func(id int64, size int64, _ []string) bool {
			return yield(Row{table, id, size}, nil)
		}, func(err error) bool { return yield(Row{}, err) })
	}
}

// maxKey is how much of a key column is looked at, in bytes; a longer value counts as none.
const maxKey = 1024

// keys is the query for numbers, sizes and some columns as text. %s stands for the condition and
// the order.
func (d *DB) keys(ctx context.Context, table string, columns []string) (string, error) {
	have, err := d.columns(ctx, table)
	if err != nil {
		return "", err
	}
	rowid, err := d.rowid(ctx, table)
	if err != nil {
		return "", err
	}
	var sizes []string
	for _, c := range have {
		sizes = append(sizes, "coalesce(octet_length("+ident(c.name)+"),0)")
	}
	if len(sizes) == 0 {
		return "", &Error{fmt.Errorf("table %s has no columns", table)}
	}
	text := "SELECT " + rowid + "," + strings.Join(sizes, "+")
	for _, c := range columns {
		if !slices.ContainsFunc(have, func(h column) bool { return h.name == c }) {
			text += ",NULL" // an older version of the table; SQLite would take the quoted name for a text
			continue
		}
		text += fmt.Sprintf(",CASE WHEN octet_length(%[1]s)<=%[2]d THEN CAST(%[1]s AS TEXT) END", ident(c), maxKey)
	}
	return strings.ReplaceAll(text, "%", "%%") + " FROM " + strings.ReplaceAll(ident(table), "%", "%%") + " WHERE " + rowid + "%s?" + " ORDER BY " + rowid + "%s", nil
}

// scan visits the rows of a query made by keys. Behind an error it reads from the end backwards, so
// that one damaged page costs the rows on it and not those behind it. bad is told of the error and
// says whether to go on.
func (d *DB) scan(ctx context.Context, text string, row func(id, size int64, keys []string) bool, bad func(error) bool) {
	last := int64(-1 << 63)
	going, seen := true, false
	err := d.walk(ctx, fmt.Sprintf(text, ">=", ""), last, func(id, size int64, keys []string) bool {
		last, seen = id, true
		going = row(id, size, keys)
		return going
	})
	if err == nil || !going {
		return
	}
	if !bad(err) || ctx.Err() != nil {
		return
	}
	behind := extsort.New(d.limits.Scratch, 4<<20)
	defer behind.Close() //nolint:errcheck // the scratch file is gone or the folder is emptied
	var failed error
	_ = d.walk(ctx, fmt.Sprintf(text, map[bool]string{true: ">", false: ">="}[seen], " DESC"), last, func(id, size int64, keys []string) bool {
		value := binary.AppendVarint(nil, size)
		for _, k := range keys {
			value = append(binary.AppendUvarint(value, uint64(len(k))), k...)
		}
		failed = behind.Add(ordered(nil, id), value)
		return failed == nil
	}) // it ends at the damage, which was told of
	if failed != nil {
		bad(fmt.Errorf("sort rows: %w", failed))
		return
	}
	for r, err := range behind.Sorted() {
		if err != nil {
			bad(fmt.Errorf("sort rows: %w", err))
			return
		}
		size, n := binary.Varint(r.Value)
		var keys []string
		for rest := r.Value[n:]; len(rest) > 0; {
			length, n := binary.Uvarint(rest)
			keys = append(keys, string(rest[n:n+int(length)]))
			rest = rest[n+int(length):]
		}
		if !row(unordered(r.Key), size, keys) {
			return
		}
	}
}

// walk visits what a query gives, up to an error.
func (d *DB) walk(ctx context.Context, text string, from int64, row func(id, size int64, keys []string) bool) error {
	rows, err := d.conn.QueryContext(ctx, text, from) // once for each table, while other statements run
	if err != nil {
		return d.fault(ctx, err)
	}
	defer rows.Close() //nolint:errcheck // an error of reading is that of Err
	names, err := rows.Columns()
	if err != nil {
		return d.fault(ctx, err)
	}
	var id, size int64
	cells := make([]*string, len(names)-2)
	to := []any{&id, &size}
	for i := range cells {
		to = append(to, &cells[i])
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return d.fault(ctx, err)
		}
		keys := make([]string, len(cells))
		for i, c := range cells {
			keys[i] = noKey
			if c != nil {
				keys[i] = "=" + *c
			}
		}
		if !row(id, size, slices.Clip(keys)) {
			return nil
		}
	}
	if err := rows.Err(); err != nil {
		return d.fault(ctx, err)
	}
	return nil
}

// ordered appends a number so that its bytes sort as numbers do.
func ordered(dst []byte, n int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(n)^1<<63) }

func unordered(b []byte) int64 { return int64(binary.BigEndian.Uint64(b) ^ 1<<63) }

// Keyed is a row with the text of one of its columns; Known is false for a value that is NULL or
// longer than any key is.
type Keyed struct {
	Row
	Key   string
	Known bool
}

// Keys yields the rows of a table like Rows, each with the text of a column, for tables of keys and
// values.
func (d *DB) Keys(ctx context.Context, table, column string) iter.Seq2[Keyed, error] {
	return func(yield func(Keyed, error) bool) {
		text, err := d.keys(ctx, table, []string{column})
		if err != nil {
			yield(Keyed{}, err)
			return
		}
		d.scan(ctx, text, func(id, size int64, keys []string) bool {
			key, known := strings.CutPrefix(keys[0], "=")
			return yield(Keyed{Row{table, id, size}, key, known}, nil)
		}, func(err error) bool { return yield(Keyed{}, err) })
	}
}
