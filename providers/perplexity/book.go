package perplexity

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// workbookPart is the part of an Office Open XML workbook that lists its sheets.
const workbookPart = "xl/workbook.xml"

// Bounds of what a workbook inside an archive may be when it is opened.
const (
	maxBookParts = 10_000
	maxBookBytes = 4 << 30 // of all parts together; rows are read as a stream
)

// badBook says why a workbook, or the rest of a sheet, cannot be read. It quotes nothing of the
// content.
type badBook struct{ code, reason string }

func (e *badBook) Error() string { return e.reason }

// book is an open workbook.
type book struct {
	find   func(name string) (archive.Member, bool)
	close  func() error
	limits importer.Limits
	sheets []sheet
	texts  []string // shared by the cells
	// from1904: days are counted from 1904, not from 1900.
	from1904 bool
}

// sheet is a sheet of a workbook: its name, and its part.
type sheet struct{ name, part string }

// Close gives back what an opened archive takes.
func (b *book) Close() error {
	if b.close == nil {
		return nil
	}
	return b.close()
}

func finder(parts map[string]archive.Member) func(string) (archive.Member, bool) {
	return func(name string) (archive.Member, bool) {
		m, ok := parts[name]
		return m, ok
	}
}

// openBook opens a workbook that is one member. It is held in memory, so it counts as a sidecar.
func openBook(ctx context.Context, m archive.Member, limits importer.Limits) (*book, error) {
	data, err := cut.ReadAll(ctx, importer.Unit{Member: m, Limits: importer.Limits{MaxConversation: limits.MaxSidecar}})
	var big *importer.UnitError
	var damaged *archive.Error
	switch {
	case errors.As(err, &big):
		return nil, &badBook{cut.CodeTooBig, fmt.Sprintf("the workbook has more bytes than the limit of %d; raise limits.max_sidecar to read it", limits.MaxSidecar)}
	case errors.As(err, &damaged):
		return nil, &badBook{cut.CodeUnread, "the workbook cannot be read: " + err.Error()}
	case err != nil:
		return nil, fmt.Errorf("read workbook %s: %w", m.Name, err)
	}
	a, err := archive.Open(ctx, []archive.Part{{Name: path.Base(m.Name), Source: bytes.NewReader(data)}},
		archive.Limits{MaxMembers: maxBookParts, MaxTotal: maxBookBytes, MaxNesting: -1}, limits.Scratch)
	switch {
	case errors.As(err, &damaged):
		return nil, &badBook{cut.CodeUnread, "the workbook cannot be opened: " + err.Error()}
	case err != nil:
		return nil, fmt.Errorf("open workbook %s: %w", m.Name, err)
	}
	parts := map[string]archive.Member{}
	for _, p := range a.Members {
		parts[p.Name] = p
	}
	b, err := readBook(ctx, finder(parts), limits)
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	b.close = a.Close
	return b, nil
}

// readBook reads the list of the sheets and the texts that cells share.
func readBook(ctx context.Context, find func(string) (archive.Member, bool), limits importer.Limits) (*book, error) {
	b := &book{find: find, limits: limits}
	targets, err := b.relations(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.elements(ctx, workbookPart, func(e xml.StartElement) {
		switch e.Name.Local {
		case "workbookPr":
			b.from1904 = isTrue(attribute(e, "date1904"))
		case "sheet":
			if t := targets[attribute(e, "id")]; t != "" && len(b.sheets) < maxBookParts {
				b.sheets = append(b.sheets, sheet{attribute(e, "name"), t})
			}
		}
	}); err != nil {
		return nil, err
	}
	if len(b.sheets) == 0 {
		return nil, &badBook{cut.CodeUnread, "the workbook has no sheets"}
	}
	return b, b.readTexts(ctx)
}

// relations gives the parts of the workbook by the ids that it calls them by.
func (b *book) relations(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	return out, b.elements(ctx, "xl/_rels/workbook.xml.rels", func(e xml.StartElement) {
		if e.Name.Local != "Relationship" || len(out) >= maxBookParts {
			return
		}
		target := attribute(e, "Target")
		if !strings.HasPrefix(target, "/") {
			target = path.Join("/xl", target)
		}
		out[attribute(e, "Id")] = strings.TrimPrefix(path.Clean(target), "/")
	})
}

// elements visits the start of each element of a small part.
func (b *book) elements(ctx context.Context, part string, visit func(xml.StartElement)) error {
	r, err := b.read(ctx, part)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		t, err := r.next()
		if err != nil || t == nil {
			return err
		}
		if e, ok := t.(xml.StartElement); ok {
			visit(e)
		}
	}
}

// readTexts reads the texts that cells share. They are held in memory, so they count as a sidecar.
func (b *book) readTexts(ctx context.Context) error {
	const part = "xl/sharedStrings.xml"
	if _, ok := b.find(part); !ok {
		return nil
	}
	r, err := b.read(ctx, part)
	if err != nil {
		return err
	}
	defer r.Close()
	size := int64(0)
	var text strings.Builder
	for {
		t, err := r.next()
		if err != nil || t == nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if t.Name.Local == "si" {
				text.Reset()
			}
		case xml.CharData:
			if !r.inText("si") {
				continue
			}
			if text.Write(t); size+int64(text.Len()) > b.limits.MaxSidecar {
				return b.tooManyTexts()
			}
		case xml.EndElement:
			if t.Name.Local != "si" {
				continue
			}
			// A text takes more than its bytes.
			if size += int64(text.Len()) + 32; size > b.limits.MaxSidecar {
				return b.tooManyTexts()
			}
			b.texts = append(b.texts, unescape(text.String()))
		}
	}
}

func (b *book) tooManyTexts() error {
	return &badBook{cut.CodeTooBig, fmt.Sprintf("the texts of the workbook have more bytes than the limit of %d; raise limits.max_sidecar to read it", b.limits.MaxSidecar)}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func isTrue(s string) bool { return s == "1" || strings.EqualFold(s, "true") }
