package anythingllm

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/pamline/pamline/pamio/extsort"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/sqlite"
)

// splitMember gives a unit for each thread of a database, each workspace of an export, each line.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	logs, _ := u.Context.(sqlite.Logs)
	switch u.Role {
	case formLines:
		return cut.Elements(ctx, u, cut.Options{Recognize: isLine}, yield)
	case formJSON, formAlpaca, formCSV:
		return grouped(ctx, u, yield)
	}
	return sqlite.Split(ctx, u, logs, yield, databaseUnits)
}

// grouped gives a unit for each conversation of a list of rows: the rows that share a key, as an
// array. It sorts outside of memory. Rows that cannot be cut out are units of their own.
func grouped(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	sorter := extsort.New(u.Limits.Scratch, 16<<20)
	defer sorter.Close() //nolint:errcheck // the scratch file is gone or the folder is emptied
	var failed error
	more := true
	keep := func(row importer.Unit, err error) bool {
		if err != nil || row.Err != nil {
			more = yield(row, err)
			return more
		}
		key, ok := groupKey(u.Role, row)
		if !ok {
			row.Err = &importer.UnitError{Member: row.Member.Name, Index: row.Index, Offset: row.Offset, Size: int64(len(row.Raw)), Code: "not_a_row", Reason: "the element is no row of an export: it is not JSON, or no object with a question or an answer"}
			row.Raw = nil
			more = yield(row, nil)
			return more
		}
		key = binary.BigEndian.AppendUint64(append(key, 0), uint64(row.Index))
		failed = sorter.Add(key, binary.BigEndian.AppendUint64(row.Raw, uint64(row.Offset)))
		return failed == nil
	}
	if u.Role == formCSV {
		tableRows(ctx, u, keep)
	} else {
		cut.Elements(ctx, u, cut.Options{Recognize: isRow}, keep)
	}
	if failed != nil {
		return yield(importer.Unit{}, fmt.Errorf("sort rows: %w", failed))
	}
	return more && emit(ctx, u, sorter, yield)
}

// emit gives the sorted rows in arrays.
func emit(ctx context.Context, u importer.Unit, sorter *extsort.Sorter, yield func(importer.Unit, error) bool) bool {
	next, size := u, int64(0)
	var at []byte
	give := func() bool {
		if at == nil {
			return true
		}
		if size > u.Limits.MaxConversation {
			next.Raw = nil
			next.Err = &importer.UnitError{Member: u.Member.Name, Index: next.Index, Offset: next.Offset, Size: size, Code: cut.CodeTooBig, Reason: fmt.Sprintf("a workspace has %d bytes, more than the limit of %d; raise limits.max_conversation to read it", size, u.Limits.MaxConversation)}
			return yield(next, nil)
		}
		next.Raw = append(next.Raw, ']')
		return yield(next, nil)
	}
	for r, err := range sorter.Sorted() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return yield(importer.Unit{}, err)
		}
		n, tail := len(r.Key)-8, len(r.Value)-8
		if at == nil || string(at) != string(r.Key[:n]) {
			if !give() {
				return false
			}
			at = append([]byte(nil), r.Key[:n]...)
			next, size = u, 1
			next.Index = int(binary.BigEndian.Uint64(r.Key[n:]))
			next.Offset = int64(binary.BigEndian.Uint64(r.Value[tail:]))
			next.Raw = []byte{'['}
		}
		if size += int64(tail) + 1; size > u.Limits.MaxConversation {
			continue
		}
		if len(next.Raw) > 1 {
			next.Raw = append(next.Raw, ',')
		}
		next.Raw = append(next.Raw, r.Value[:tail]...)
	}
	return give()
}

// groupKey is what the rows of one conversation share.
func groupKey(form string, row importer.Unit) ([]byte, bool) {
	doc, err := jsonscan.Parse(row.Raw, row.Limits.MaxDepth)
	if err != nil {
		return nil, false
	}
	root := doc.Root()
	if root.Kind() != jsonscan.Object {
		return nil, false
	}
	if form == formAlpaca {
		return []byte(root.Get("instruction").Str()), root.Get("input").Exists() || root.Get("output").Exists()
	}
	return []byte(exportKey(root)), root.Get("prompt").Exists() || root.Get("response").Exists()
}

// isLine tells how a line begins.
func isLine(prefix []byte) bool { return importer.Sniff(prefix).Has("messages") }

// isRow recognizes a row from its first bytes.
func isRow(prefix []byte) bool {
	s := importer.Sniff(prefix)
	return s.Has("prompt") && s.Has("workspace") || s.Has("instruction") && (s.Has("input") || s.Has("output"))
}
