package perplexity

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/providers/importer"
)

// place is where the record of a row stands: the name of its sheet and its number among the rows,
// as a JSON pointer. It is the Context of the units of rows, with how the workbook counts days.
type place struct {
	pointer  string
	from1904 bool
}

// split yields a unit for each row of each sheet. What breaks a sheet ends that sheet alone.
func (b *book) split(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	index := 0
	for _, s := range b.sheets {
		if isBilling(s.name) {
			n := u
			n.Role, n.Index = roleBilling, index
			index++
			if !yield(n, nil) {
				return false
			}
			continue
		}
		more := true
		var head header
		role := ""
		number := 0
		err := b.rows(ctx, s, func(r row) bool {
			if head == nil {
				head = headerOf(r)
				role = head.role(s.name)
				return true
			}
			n := u
			n.Role, n.Index, n.Offset = role, index, r.offset
			if role == roleThreadRow {
				n.Raw = append(head.object([]byte{'['}, r), ']')
			} else {
				n.Raw = head.object(nil, r)
			}
			n.Context = place{"/" + normalize.EscapePointer(s.name) + "/" + strconv.Itoa(number), b.from1904}
			index++
			number++
			more = yield(n, nil)
			return more
		})
		if !more {
			return false
		}
		var bad *badBook
		switch {
		case errors.As(err, &bad):
			n := u
			n.Index = index
			index++
			if !yieldBad(n, err, yield) {
				return false
			}
		case err != nil:
			return yield(importer.Unit{}, err)
		}
	}
	return true
}

// role is what the rows of a sheet are, by its columns, else by its name.
func (h header) role(sheet string) string {
	switch {
	case h.has("UUID", "OUTPUT_STR"):
		return roleThreadRow
	case h.has("MEMORY_KEY", "MEMORY_VALUE"):
		return roleMemoryRow
	case strings.Contains(strings.ToLower(sheet), "profile"):
		return roleProfileRow
	}
	return roleSettingRow
}

func isBilling(sheet string) bool {
	sheet = strings.ToLower(sheet)
	for _, word := range []string{"subscription", "billing", "payment", "invoice"} {
		if strings.Contains(sheet, word) {
			return true
		}
	}
	return false
}

// isExport tells whether the workbook has a sheet that only Perplexity's have.
func (b *book) isExport(ctx context.Context) (bool, error) {
	for _, s := range b.sheets {
		found := false
		err := b.rows(ctx, s, func(r row) bool {
			role := headerOf(r).role("")
			found = role == roleThreadRow || role == roleMemoryRow
			return false
		})
		var bad *badBook
		if err != nil && !errors.As(err, &bad) {
			return false, err
		}
		if found {
			return true, nil
		}
	}
	return false, nil
}
