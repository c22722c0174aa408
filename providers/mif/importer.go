// Package mif reads documents of the Memory Interchange Format (MIF), versions 1.x and 2.x, as
// drops: JSON, JSON Lines and a safe part of YAML. A document is recognized by its mif_version.
//
// Memories, todos, projects and reminders become PAM memories as package interop/convert says, and
// those that were PAM become what they were. What a document says of consent holds: memories that
// must not be shared are never exported, and one whose retention is over is refused.
package mif

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/interop/convert"
	"github.com/pamline/pamline/interop/mif"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/converted"
	"github.com/pamline/pamline/providers/importer"
)

const (
	provider = "mif"
	version  = "mif-importer/2026.11"
)

// New gives the importer.
func New() importer.Importer {
	return &converted.Format{Provider: provider, Release: version, Find: find, Convert: toPAM}
}

// find recognizes documents, and checks each of them.
func find(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (docs []converted.Document, notes []string, err error) {
	for _, m := range members {
		s, err := peek.Shape(ctx, m)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err != nil || s.Empty {
			continue
		}
		is := certain
		if !isJSON(s) {
			if is, err = isYAML(ctx, m, s, peek); err != nil {
				return nil, nil, err
			}
		}
		if is == other {
			continue
		}
		d := converted.Document{Main: m, Members: []archive.Member{m}, Root: "."}
		note, err := checkDocument(ctx, &d, limits)
		if errors.Is(err, mif.ErrNotMIF) && is == possible {
			continue
		}
		if err != nil && !errors.As(err, &d.Refused) {
			return nil, nil, err
		}
		if d.Refused == nil {
			notes = append(notes, note)
		}
		docs = append(docs, d)
	}
	return docs, notes, nil
}

// checkDocument says what a document is and holds. The error is an *importer.RefusedError for one
// that must not be read.
func checkDocument(ctx context.Context, d *converted.Document, limits importer.Limits) (note string, err error) {
	doc, closeDoc, err := openDocument(ctx, *d, limits)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, closeDoc()) }()
	d.IsPAM, d.Digest = doc.Root.Get("x_pam").Get("store").Kind() == jsonscan.Object, doc.Digest
	if err := convert.CheckMIF(doc, limits.Now); err != nil {
		return "", refuseInvalid(d.Main.Name, err)
	}
	return describeDocument(doc, d.Main.Name)
}

func refuseInvalid(name string, err error) error {
	return &importer.RefusedError{Reason: fmt.Sprintf("read %s: %v", name, err), Hint: "see all that is wrong with it: pamline validate FILE"}
}

// isJSON tells whether the first bytes of a member are those of a document in JSON or JSON Lines.
func isJSON(s importer.Shape) bool {
	return s.Has(`mif_version"`) || s.Lines && s.At([]string{"[].", ""}, `mif_version"`)
}

// likeness is how far a member looks like a document.
type likeness int

const (
	other    likeness = iota
	possible          // a text that is none is for somebody else
	certain
)

// isYAML tells whether a text has the key at its start, or at the start of a line: many texts may.
func isYAML(ctx context.Context, m archive.Member, s importer.Shape, peek importer.Peeker) (likeness, error) {
	if s.Top != 0 || s.SQLite {
		return other, nil
	}
	prefix, err := peek.Prefix(ctx, m)
	if ctx.Err() != nil {
		return other, ctx.Err()
	}
	if err != nil {
		return other, nil //nolint:nilerr // whoever describes the member says that it cannot be read
	}
	switch head := importer.HeadUTF8(prefix); {
	case bytes.HasPrefix(head, []byte("mif_version:")):
		return certain, nil
	case bytes.Contains(head, []byte("\nmif_version:")):
		return possible, nil
	}
	return other, nil
}

// describeDocument says what a document is and holds.
func describeDocument(doc *mif.Document, name string) (string, error) {
	memories, err1 := doc.Len(mif.Memories)
	todos, err2 := doc.Len(mif.Todos)
	if err := errors.Join(err1, err2); err != nil {
		return "", &importer.RefusedError{Reason: fmt.Sprintf("read %s: %v", name, err), Hint: "see what is wrong with it: pamline validate FILE"}
	}
	return fmt.Sprintf("%s: Memory Interchange Format %s as %s, checksum %s, %d memories, %d todos", name, doc.Version, doc.Form, doc.Checksum, memories, todos), nil
}

// openDocument opens a document in a scratch file, which closeDoc removes. What must not be read
// gives an *importer.RefusedError.
func openDocument(ctx context.Context, d converted.Document, limits importer.Limits) (doc *mif.Document, closeDoc func() error, err error) {
	f, err := os.CreateTemp(limits.Scratch, "mif-*")
	if err != nil {
		return nil, nil, fmt.Errorf("create scratch file: %w", err)
	}
	remove := func() error { return errors.Join(f.Close(), os.Remove(f.Name())) }
	defer func() {
		if err != nil {
			err = errors.Join(err, remove())
		}
	}()
	r, err := d.Main.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	size, err := io.Copy(f, importer.UTF8(r))
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", d.Main.Name, err)
	}
	if doc, err = parseDocument(f, size, d.Main.Name); err != nil {
		return nil, nil, err
	}
	return doc, remove, nil
}

func parseDocument(f *os.File, size int64, name string) (*mif.Document, error) {
	doc, err := mif.New(f, size)
	switch {
	case errors.Is(err, mif.ErrNotMIF):
		return nil, &importer.RefusedError{Reason: fmt.Sprintf("read %s: %v", name, err), Hint: "see what is wrong with it: pamline validate FILE", Err: err}
	case err != nil:
		return nil, &importer.RefusedError{Reason: fmt.Sprintf("read %s: %v", name, err), Hint: "export it as MIF 1.x or 2.x in JSON"}
	case doc.IsEncrypted():
		return nil, &importer.RefusedError{
			Reason: fmt.Sprintf("read %s: %v", name, mif.ErrEncrypted),
			Hint:   "open it first: pamline convert --to pam --mif-password-file FILE --mif-salt HEX -o my-memories FILE, and drop the result",
		}
	}
	return doc, nil
}

// toPAM converts a document.
func toPAM(ctx context.Context, d converted.Document, limits importer.Limits, scratch string, out converted.Output) (err error) {
	doc, closeDoc, err := openDocument(ctx, d, limits)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDoc()) }()
	o := convert.Options{Scratch: scratch, Generator: "pamline/1.0.0", Owner: "owner", Checked: d.Digest != "" && d.Digest == doc.Digest}
	_, err = convert.PAMFromMIF(ctx, doc, limits.Now, o, convert.Output(out))
	if err != nil && ctx.Err() == nil {
		return refuseInvalid(d.Main.Name, err)
	}
	return err
}
