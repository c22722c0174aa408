package sqlite

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Columns to read as something else than they are.
type Columns struct {
	// JSON names columns whose text may be JSON: an object or array stands as the value it is,
	// anything else as text. In columns that the table declares as JSON, every JSON value stands as
	// it is.
	JSON []string
	// Without names columns that are left out: secrets. Only, when it is not empty, names those
	// that are read.
	Without, Only []string
}

// Object appends a row as a JSON object, its columns in the order of the table. A row that is not
// there any more is an *Error.
func (d *DB) Object(ctx context.Context, dst []byte, row Row, how Columns) ([]byte, error) {
	have, err := d.columns(ctx, row.Table)
	if err != nil {
		return dst, err
	}
	rowid, err := d.rowid(ctx, row.Table)
	if err != nil {
		return dst, err
	}
	var shown []column
	var cells []string
	for _, c := range have {
		if !slices.Contains(how.Without, c.name) && (len(how.Only) == 0 || slices.Contains(how.Only, c.name)) {
			shown = append(shown, c)
			cells = append(cells, "+"+ident(c.name)) // an expression has no declared type that the driver would convert by
		}
	}
	if len(cells) == 0 {
		return append(dst, "{}"...), nil
	}
	rows, err := d.query(ctx, "SELECT "+strings.Join(cells, ",")+" FROM "+ident(row.Table)+" WHERE "+rowid+"=?", row.ID)
	if err != nil {
		return dst, err
	}
	defer rows.Close() //nolint:errcheck // an error of reading is that of Err
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return dst, d.fault(ctx, err)
		}
		return dst, &Error{fmt.Errorf("row %d of table %s is not where its index says", row.ID, row.Table)}
	}
	values := make([]any, len(cells))
	to := make([]any, len(cells))
	for i := range values {
		to[i] = &values[i]
	}
	if err := rows.Scan(to...); err != nil {
		return dst, d.fault(ctx, err)
	}
	dst = append(dst, '{')
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(pamio.AppendString(dst, shown[i].name), ':')
		starts := ""
		switch {
		case shown[i].json:
			starts = anyValue
		case slices.Contains(how.JSON, shown[i].name):
			starts = "{["
		}
		if dst, err = d.value(dst, v, starts); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// anyValue has the bytes that a JSON value may start with.
const anyValue = `{["-0123456789tfn`

// value appends a value; text that is JSON and starts with one of the given bytes stands as what it
// says.
func (d *DB) value(dst []byte, v any, starts string) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case float64:
		return appendReal(dst, v), nil
	case string:
		if d.isJSON(v, starts) {
			return append(dst, v...), nil
		}
		return appendText(dst, v), nil
	case []byte:
		dst = append(dst, `{"$blob":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, v)
		return append(dst, `"}`...), nil
	}
	return dst, &Error{errors.New("a value has no type of SQLite")}
}

// isJSON tells whether a text is a JSON value that starts with one of some bytes.
func (d *DB) isJSON(text, starts string) bool {
	value := strings.TrimLeft(text, " \t\r\n")
	if value == "" || strings.IndexByte(starts, value[0]) < 0 {
		return false
	}
	_, err := jsonscan.Parse([]byte(text), d.limits.MaxDepth)
	return err == nil
}

func appendReal(dst []byte, v float64) []byte {
	switch {
	case math.IsInf(v, 1):
		return append(dst, `{"$real":"Infinity"}`...)
	case math.IsInf(v, -1):
		return append(dst, `{"$real":"-Infinity"}`...)
	case math.IsNaN(v):
		return append(dst, `{"$real":"NaN"}`...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'g', -1, 64)
	if !strings.ContainsAny(string(dst[start:]), ".e") {
		dst = append(dst, ".0"...)
	}
	return dst
}

// appendText writes a string whose bytes stay as they are, also where they are not UTF-8: whoever
// parses it sees them.
func appendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c < 0x20:
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
