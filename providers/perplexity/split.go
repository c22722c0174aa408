package perplexity

import (
	"context"
	"errors"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// splitMember gives a unit for each thread, and one for each row of a workbook.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	j, _ := u.Context.(*joined)
	u.Context = nil
	switch u.Role {
	case roleOfficial:
		return cut.Elements(ctx, u, cut.Options{Wrappers: []string{"conversations"}, Rest: roleRest, Recognize: isThread}, yield)
	case roleExtension, roleAPI:
		return cut.Elements(ctx, u, cut.Options{}, yield)
	case roleWorkbook:
		return splitBook(ctx, u, j, yield)
	}
	return true // a part, which is read with its workbook
}

func isThread(prefix []byte) bool {
	s := importer.Sniff(prefix)
	return s.Has("context_uuid") && s.Has("entries[")
}

// splitBook gives the rows of all sheets of a workbook.
func splitBook(ctx context.Context, u importer.Unit, j *joined, yield func(importer.Unit, error) bool) bool {
	b, err := open(ctx, u, j)
	switch {
	case ctx.Err() != nil:
		return yield(importer.Unit{}, ctx.Err())
	case err != nil:
		return yieldBad(u, err, yield)
	}
	more := b.split(ctx, u, yield)
	if err := b.Close(); err != nil && more {
		return yield(importer.Unit{}, err)
	}
	return more
}

func open(ctx context.Context, u importer.Unit, j *joined) (*book, error) {
	if folder, part := bookOf(u.Member.Name); part == workbookPart && j != nil && j.books[folder] != nil {
		return readBook(ctx, finder(j.books[folder]), u.Limits)
	}
	return openBook(ctx, u.Member, u.Limits)
}

// yieldBad yields the unit of what could not be read.
func yieldBad(u importer.Unit, err error, yield func(importer.Unit, error) bool) bool {
	e := importer.UnitError{Member: u.Member.Name, Index: u.Index, Offset: u.Offset, Code: cut.CodeUnread, Reason: err.Error()}
	var bad *badBook
	if errors.As(err, &bad) {
		e.Code = bad.code
	}
	u.Err = &e
	return yield(u, nil)
}
