package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/cmd/internal/wording"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/validate"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/importer"
)

// readOther reads what another program than ours exported, from beginning to end, as an import
// would, and describes it. Elements that cannot be read are handed to find. The report is nil if
// the path is PAM, or nothing that an import reads: whoever reads it as PAM says what is wrong with
// it.
func readOther(ctx context.Context, path, scratch string, find func(validate.Finding) error) (report *otherReport, err error) {
	if is, err := looksLikePAM(path); err != nil || is {
		return nil, nil //nolint:nilerr // whoever opens it as PAM document gives the error
	}
	part, closer, err := archivePart(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closer.Close()) }()
	a, err := archive.Open(ctx, []archive.Part{part}, archive.Limits{}, scratch)
	if bad := (*archive.Error)(nil); errors.As(err, &bad) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	limits := importer.Limits{Scratch: scratch}.WithDefaults()
	found, err := providers.Default().Detect(ctx, a, providers.Options{Limits: limits})
	if err != nil || len(found.Claims) == 0 {
		return nil, ctx.Err() // what nobody recognizes is told as no PAM
	}
	r := otherReading{report: &otherReport{Counts: map[string]int64{}}, skips: map[string]state.SkipCount{}, records: map[string]int64{}, find: find}
	for _, c := range found.Claims {
		if c.Importer.Name() == "pam" {
			return nil, nil
		}
	}
	for _, c := range found.Claims {
		if err := r.read(ctx, c, limits); err != nil {
			return nil, err
		}
	}
	r.finish(a, found)
	return r.report, nil
}

// looksLikePAM tells that a path must be judged as PAM: it has a memory-store.json, or begins with
// members that only PAM documents have.
func looksLikePAM(path string) (bool, error) {
	target, closer, err := validate.Open(path)
	if err != nil {
		return false, err
	}
	defer closer.Close() //nolint:errcheck // it was only read
	if target.File == "" {
		_, err := pamio.NewBundle(target.FS)
		return err == nil, nil
	}
	f, err := target.FS.Open(target.File)
	if err != nil {
		return false, err
	}
	defer f.Close() //nolint:errcheck // as above
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return false, err
	}
	return bytes.Contains(head[:n], []byte(`"schema_version"`)) || bytes.Contains(head[:n], []byte(`"portable-ai-memory`)), nil
}

// otherReading counts what importers read.
type otherReading struct {
	report  *otherReport
	records map[string]int64
	skips   map[string]state.SkipCount
	find    func(validate.Finding) error
}

func (r *otherReading) read(ctx context.Context, c providers.Detected, limits importer.Limits) error {
	for _, m := range c.Claim.Members {
		if m.Role == importer.RoleAsset {
			r.report.Counts["files"]++
		}
	}
	for unit, err := range c.Importer.Split(ctx, c.Claim, limits) {
		if err != nil {
			return fmt.Errorf("read %s: %w", c.Importer.Version(), err)
		}
		bad := unit.Err
		var items []importer.Item
		if bad == nil {
			if items, err = c.Importer.Decode(unit); err != nil && !errors.As(err, &bad) {
				return fmt.Errorf("read %s: %w", c.Importer.Version(), err)
			}
		}
		if bad != nil {
			if err := r.find(unreadableElement(bad)); err != nil {
				return err
			}
			continue
		}
		for _, item := range items {
			r.count(item)
		}
	}
	return nil
}

func unreadableElement(e *importer.UnitError) validate.Finding {
	return validate.Finding{ID: "element-unreadable", Severity: validate.Error, File: e.Member, Pointer: fmt.Sprintf("/%d", e.Index), Offset: e.Offset,
		Message: e.Reason}
}

func (r *otherReading) count(item importer.Item) {
	switch {
	case item.Conversation != nil:
		r.report.Counts["conversations"]++
		r.report.Counts["messages"] += int64(len(item.Conversation.Doc.Messages))
	case item.Record != nil:
		r.records[strings.TrimPrefix(item.Record.Kind, "pam-")]++ // they become PAM on their way
	case item.Skip != nil:
		s := r.skips[item.Skip.Code]
		r.skips[item.Skip.Code] = state.SkipCount{Count: s.Count + item.Skip.Count, Reason: item.Skip.Reason}
	}
}

// finish says in words what was read and what not.
func (r *otherReading) finish(a *archive.Archive, found *providers.Detection) {
	var formats, versions []string
	for _, c := range found.Claims {
		versions = append(versions, c.Importer.Version())
		if formats = append(formats, c.Claim.Described...); len(c.Claim.Described) == 0 {
			formats = append(formats, c.Importer.Name()+" export")
		}
	}
	r.report.Format = joinLimited(formats, 5) + ", read by " + joinLimited(versions, 5)
	note := func(format string, args ...any) {
		r.report.Notes = append(r.report.Notes, fmt.Sprintf(format, args...))
	}
	for _, kind := range slices.Sorted(maps.Keys(r.records)) {
		r.report.Counts["records"] += r.records[kind]
		note("%s", wording.Record(kind, r.records[kind]))
	}
	for _, code := range slices.Sorted(maps.Keys(r.skips)) {
		note("skipped: %s", wording.Skip(code, r.skips[code]))
	}
	for _, c := range found.Claims {
		for _, n := range c.Claim.Notes {
			note("%s", n)
		}
	}
	if n := len(found.Unclaimed) + a.RefusedCount; n > 0 {
		note("not read: %s", pluralNoun(int64(n), "file"))
	}
	note("This is no PAM document. To make a store of it: pamline import")
}

// archivePart is a file or folder as a part of a drop.
func archivePart(path string) (archive.Part, io.Closer, error) {
	info, err := os.Stat(path)
	if err != nil {
		return archive.Part{}, nil, err
	}
	part := archive.Part{Name: filepath.Base(path)}
	if !info.IsDir() {
		f, err := openSized(path)
		part.Source = f
		return part, f, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return archive.Part{}, nil, err
	}
	folder := &openFolder{Root: root}
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		part.Files = append(part.Files, archive.File{
			Name: filepath.ToSlash(name), Size: info.Size(),
			Open:   func(context.Context) (io.ReadCloser, error) { return root.Open(name) },
			Source: func(context.Context) (archive.Source, error) { return folder.source(name) },
		})
		return nil
	})
	if err != nil {
		return archive.Part{}, nil, errors.Join(err, folder.Close())
	}
	if part.Files == nil {
		part.Files = []archive.File{} // a folder all the same
	}
	return part, folder, nil
}

// openFolder closes what was opened in it.
type openFolder struct {
	*os.Root
	open []*sizedFile
}

func (f *openFolder) source(name string) (archive.Source, error) {
	opened, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	s, err := sized(opened)
	if err == nil {
		f.open = append(f.open, s)
	}
	return s, err
}

func (f *openFolder) Close() error {
	var errs []error
	for _, s := range f.open {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, f.Root.Close())...)
}

// sizedFile is a file as the source of an archive.
type sizedFile struct {
	*os.File
	size int64
}

func openSized(path string) (*sizedFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return sized(f)
}

func sized(f *os.File) (*sizedFile, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &sizedFile{f, info.Size()}, nil
}

func (f *sizedFile) Size() int64 { return f.size }
