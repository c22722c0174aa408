package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/sums"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// Format is a format, beside PAM, in which stores are published.
type Format struct {
	// Name of the format, as the setting publish.formats has it.
	Name string
	// End is the end of the names of its files, with its dot: exports/<export_id><End>, and the
	// copy beside the store, memories<End>.
	End string
	// Write writes a store as one file of the format; scratch is for its own files. The same bundle
	// gives the same bytes.
	Write func(ctx context.Context, b *pamio.Bundle, scratch string, w io.Writer) error
}

// formatter writes stores in the formats beside PAM.
type formatter struct{ Options }

func formatterOf(o Options) formatter { return formatter{o} }

// formatCopy is the name of the copy of a format beside the store.
func formatCopy(end string) string { return "memories" + end }

// putFormats stores an export in the formats that are asked for. A format that the prior head had,
// and that is not asked for any more, has an empty file in the new one: its copy is removed.
func (o formatter) putFormats(ctx context.Context, r Round, next state.Head) (map[string]state.File, error) {
	files := map[string]state.File{}
	for end := range r.Prior.Formats {
		files[end] = state.File{}
	}
	err := o.eachFormat(ctx, o.Formats, r.Owner, next, r.Inputs, func(f Format, b *pamio.Bundle) (err error) {
		var file state.File
		file.SHA256, file.Size, err = o.putFormat(ctx, f, b, state.ExportKey(r.Owner, next.ExportID, f.End))
		files[f.End] = file
		return err
	})
	if len(files) == 0 {
		return nil, err
	}
	return files, err
}

// putFormat writes a bundle in a format to a scratch file, and stores that once.
func (o formatter) putFormat(ctx context.Context, f Format, b *pamio.Bundle, key string) (sum string, size int64, err error) {
	file, err := os.CreateTemp(o.Scratch, "format-*")
	if err != nil {
		return "", 0, fmt.Errorf("write store as %s: %w", f.Name, err)
	}
	defer func() { _ = os.Remove(file.Name()) }() // scratch is emptied at the next start
	defer file.Close()
	if err := f.Write(ctx, b, o.Scratch, file); err != nil {
		return "", 0, &fault.Fault{
			Class: fault.Of(err), Err: fmt.Errorf("write store as %s: %w", f.Name, err),
			Hint: "the store is unchanged; leave " + f.Name + " out of the setting publish.formats, and redrive the import",
		}
	}
	return o.putFile(ctx, key, file)
}

// eachFormat calls use for each of some formats with the bundle of a head, which is laid out in a
// scratch folder. in is the input set of the head.
func (o formatter) eachFormat(ctx context.Context, formats []Format, owner string, h state.Head, in state.Inputs, use func(Format, *pamio.Bundle) error) (err error) {
	if len(formats) == 0 {
		return nil
	}
	folder, err := os.MkdirTemp(o.Scratch, "bundle-*")
	if err != nil {
		return fmt.Errorf("lay out bundle: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // scratch is emptied at the next start
	w := &bundleWriter{store: o.Store, owner: owner, folder: folder, list: sums.NewList("")}
	if err := errors.Join(w.fill(ctx, h, in), w.list.Close()); err != nil {
		return fmt.Errorf("lay out bundle of %s: %w", owner, err)
	}
	b, err := pamio.OpenBundle(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	for _, f := range formats {
		if err := use(f, b); err != nil {
			return err
		}
	}
	return nil
}

// hasFormats tells whether a head has all formats that are asked for.
func (o formatter) hasFormats(h state.Head) bool {
	for _, f := range o.Formats {
		if h.Formats[f.End].SHA256 == "" {
			return false
		}
	}
	return true
}

// formatsOf gives, of the formats that are asked for, those that a head has.
func (o formatter) formatsOf(h state.Head) (formats []Format) {
	for _, f := range o.Formats {
		if h.Formats[f.End].SHA256 != "" {
			formats = append(formats, f)
		}
	}
	return formats
}

// repairFormats writes the files of an export in further formats again, if they are damaged and the
// store with its conversations is whole.
func (o formatter) repairFormats(ctx context.Context, owner string, h state.Head, in state.Inputs) error {
	damaged := map[string]bool{}
	for end, file := range h.Formats {
		if file.SHA256 == "" {
			continue
		}
		whole, err := objects.IsWhole(ctx, o.Store, state.ExportKey(owner, h.ExportID, end), file.SHA256)
		if err != nil {
			return err
		}
		if !whole {
			damaged[end] = true
		}
	}
	var formats []Format
	for _, f := range o.Formats {
		if damaged[f.End] {
			formats = append(formats, f)
			delete(damaged, f.End)
		}
	}
	if len(damaged) > 0 {
		return fmt.Errorf("repair export %s of %s: its format is not among those of the setting publish.formats", h.ExportID, owner)
	}
	return o.eachFormat(ctx, formats, owner, h, in, func(f Format, b *pamio.Bundle) error {
		fits, err := o.repairObject(ctx, state.ExportKey(owner, h.ExportID, f.End), h.Formats[f.End].SHA256, func(w io.Writer) error { return f.Write(ctx, b, o.Scratch, w) })
		if err == nil && !fits {
			err = fmt.Errorf("repair %s of %s: %w", f.Name, owner, ErrDiffers)
		}
		return err
	})
}

// compareFormats compares the files of an export in further formats with the store in them.
func (o formatter) compareFormats(ctx context.Context, owner string, h state.Head, in state.Inputs) error {
	return o.eachFormat(ctx, o.formatsOf(h), owner, h, in, func(f Format, b *pamio.Bundle) error {
		want := newSum()
		if err := f.Write(ctx, b, o.Scratch, want); err != nil {
			return fmt.Errorf("write store as %s: %w", f.Name, err)
		}
		return o.compareObject(ctx, state.ExportKey(owner, h.ExportID, f.End), want)
	})
}

// copyFormats makes the copies of an export in further formats, and removes those that the head has
// not any more.
func copyFormats(ctx context.Context, s blob.Store, owner string, h state.Head) error {
	for end, file := range h.Formats {
		var err error
		if file.SHA256 == "" {
			err = s.Delete(ctx, state.OwnerKey(owner, formatCopy(end)))
		} else {
			err = copyWithin(ctx, s, state.ExportKey(owner, h.ExportID, end), file.SHA256, state.OwnerKey(owner, formatCopy(end)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// CopiesOf gives the files beside a store that copy what its head names, by their names. A file
// without digest must not be there.
func CopiesOf(h state.Head) map[string]state.File {
	copies := map[string]state.File{storeCopy: {SHA256: h.Store, Size: h.Size}, embeddingsCopy: {SHA256: h.EmbeddingsFile, Size: h.EmbeddingsSize}}
	for end, file := range h.Formats {
		copies[formatCopy(end)] = file
	}
	return copies
}
