package sqlite

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Bounds of a schema; an application has some dozens of tables.
const (
	maxTables  = 2000
	maxName    = 200
	maxColumns = 500
)

// schema lists the real tables. A view and a virtual table have no root page.
func (d *DB) schema(ctx context.Context) error {
	rows, err := d.query(ctx, `SELECT name FROM sqlite_schema WHERE type='table' AND rootpage>0 AND octet_length(name)<=? ORDER BY name LIMIT ?`, maxName, maxTables)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // an error of reading is that of Err
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return d.fault(ctx, err)
		}
		d.tables[name] = nil
	}
	if err := rows.Err(); err != nil {
		return d.fault(ctx, err)
	}
	return nil
}

// Has tells whether the database has all of these tables.
func (d *DB) Has(tables ...string) bool {
	for _, t := range tables {
		if _, ok := d.tables[t]; !ok {
			return false
		}
	}
	return true
}

// Tables lists the tables by name.
func (d *DB) Tables() []string { return slices.Sorted(maps.Keys(d.tables)) }

// Columns lists the stored columns of a table, in its order; none for a table that is not there.
func (d *DB) Columns(ctx context.Context, table string) ([]string, error) {
	all, err := d.columns(ctx, table)
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.name
	}
	return names, err
}

func (d *DB) columns(ctx context.Context, table string) ([]column, error) {
	known, ok := d.tables[table]
	if !ok || known != nil {
		return known, nil
	}
	// table_info leaves out what is generated or hidden.
	rows, err := d.query(ctx, `SELECT name, upper(type)='JSON' FROM pragma_table_info(?) ORDER BY cid LIMIT ?`, table, maxColumns)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // an error of reading is that of Err
	out := []column{}
	for rows.Next() {
		var c column
		if err := rows.Scan(&c.name, &c.json); err != nil {
			return nil, d.fault(ctx, err)
		}
		out = append(out, c)
	}
	if err := rows.Err(); err != nil {
		return nil, d.fault(ctx, err)
	}
	d.tables[table] = out
	return out, nil
}

// HasColumns tells whether a table has all of these columns.
func (d *DB) HasColumns(ctx context.Context, table string, want ...string) (bool, error) {
	have, err := d.Columns(ctx, table)
	for _, w := range want {
		if !slices.Contains(have, w) {
			return false, err
		}
	}
	return d.Has(table), err
}

// rowid is the name of the number of a row that no column of the table hides.
func (d *DB) rowid(ctx context.Context, table string) (string, error) {
	have, err := d.columns(ctx, table)
	if err != nil {
		return "", err
	}
	for _, name := range []string{"rowid", "_rowid_", "oid"} {
		if !slices.ContainsFunc(have, func(c column) bool { return strings.EqualFold(c.name, name) }) {
			return name, nil
		}
	}
	return "", &Error{fmt.Errorf("table %s hides the numbers of its rows", table)}
}

// ident quotes a name.
func ident(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
