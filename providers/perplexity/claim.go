package perplexity

import (
	"bytes"
	"context"
	"errors"
	"path"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// joined is what Split knows of workbooks that were opened with the archive: the members of each,
// by the folder in which xl lies.
type joined struct {
	books map[string]map[string]archive.Member
}

// claimMembers takes threads in JSON, and workbooks: those with the sheets of the GDPR export
// wherever they are, any other only beside an official export. A workbook is a member, or the
// archive itself, which is opened like any zip.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (importer.Claim, error) {
	limits = limits.WithDefaults()
	var c importer.Claim
	roles := make([]string, len(members))
	zipped := make([]bool, len(members))
	folders := map[string]bool{}
	for i, m := range members {
		s, err := peek.Shape(ctx, m)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		if err != nil && s.Empty {
			continue // nothing of it can be seen
		}
		if roles[i] = recognize(s); roles[i] == roleOfficial {
			folders[path.Dir(m.Name)] = true
		}
		if !s.Other() {
			continue
		}
		prefix, err := peek.Prefix(ctx, m)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		zipped[i] = err == nil && bytes.HasPrefix(prefix, []byte("PK\x03\x04")) && bytes.Contains(prefix, []byte("xl/"))
	}
	j := &joined{books: openBooks(members)}
	for i, m := range members {
		if roles[i] != "" {
			continue
		}
		folder, part := bookOf(m.Name)
		open := func() (*book, error) { return openBook(ctx, m, limits) }
		switch {
		case part == workbookPart:
			open = func() (*book, error) { return readBook(ctx, finder(j.books[folder]), limits) }
		case !zipped[i]:
			continue
		}
		ours, err := isExportBook(ctx, open)
		var bad *badBook
		switch {
		case ctx.Err() != nil:
			return c, ctx.Err()
		case err != nil && !errors.As(err, &bad):
			return c, err
		case ours, folders[path.Dir(m.Name)], folders[folder]:
			roles[i] = roleWorkbook // of one that cannot be read Split says why
		}
	}
	claimParts(members, roles)
	for i, m := range members {
		if roles[i] != "" {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roles[i]})
		}
	}
	c.Context = j
	return c, nil
}

// isExportBook tells whether a workbook has the sheets of an export.
func isExportBook(ctx context.Context, open func() (*book, error)) (ours bool, err error) {
	b, err := open()
	if err != nil {
		return false, err
	}
	ours, err = b.isExport(ctx)
	return ours, errors.Join(err, b.Close())
}

// recognize tells the generation of a member of JSON, "" for none.
func recognize(s importer.Shape) string {
	switch {
	case s.At([]string{"", "[]."}, "entries[].query_str"), s.At([]string{"", "[]."}, "entries[].blocks[].intended_usage"):
		return roleAPI
	case s.At([]string{"", "[]."}, "metadata.thread_id", "conversations[].query"):
		return roleExtension
	case s.At([]string{"conversations[].", "[].", ""}, "context_uuid", "entries["):
		return roleOfficial
	}
	return ""
}

// openBooks finds the workbooks that lie in the archive in parts.
func openBooks(members []archive.Member) map[string]map[string]archive.Member {
	out := map[string]map[string]archive.Member{}
	for _, m := range members {
		if folder, part := bookOf(m.Name); part == workbookPart {
			out[folder] = map[string]archive.Member{}
		}
	}
	for _, m := range members {
		if folder, part := bookOf(m.Name); out[folder] != nil && part != "" {
			out[folder][part] = m
		}
	}
	return out
}

// bookOf divides the name of a part of a workbook: the folder of the workbook, and the name in it,
// "" for what is no part.
func bookOf(name string) (folder, part string) {
	for _, root := range []string{"xl/", "docProps/", "_rels/", "[Content_Types].xml"} {
		if strings.HasPrefix(name, root) {
			return ".", name
		}
		if i := strings.Index(name, "/"+root); i >= 0 {
			return name[:i], name[i+1:]
		}
	}
	return "", ""
}

// claimParts claims the other parts of claimed workbooks.
func claimParts(members []archive.Member, roles []string) {
	claimed := map[string]bool{}
	for i, m := range members {
		if folder, part := bookOf(m.Name); part == workbookPart && roles[i] == roleWorkbook {
			claimed[folder] = true
		}
	}
	for i, m := range members {
		if folder, part := bookOf(m.Name); part != "" && claimed[folder] && roles[i] == "" {
			roles[i] = rolePart
		}
	}
}
