// Package portablemem reads bundles of Portable Memory (.mem), formats 1.0 and 1.1, as drops. A
// bundle is recognized by its manifest.json: a format, counts and files. It is verified as a whole
// before anything of it is used.
//
// Records become PAM memories as package interop/convert says, and those that were PAM become what
// they were. Tombstones act inside their bundle. They never reach a memory that the owner has from
// elsewhere: a file that somebody dropped has no authority to delete. They are kept as records, and
// the report says how many there are.
package portablemem

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/interop/convert"
	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/providers/converted"
	"github.com/pamline/pamline/providers/importer"
)

const (
	provider = "portable-memory"
	version  = "portable-memory-importer/2026.11"
)

// New gives the importer.
func New() importer.Importer {
	return &converted.Format{Provider: provider, Release: version, Find: find, Convert: toPAM}
}

// find recognizes bundles by their manifests, and checks each of them.
func find(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (docs []converted.Document, notes []string, err error) {
	for _, m := range members {
		if path.Base(m.Name) != mem.ManifestFile {
			continue
		}
		s, err := peek.Shape(ctx, m)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err != nil || !s.Has(`format"`) || !s.Has("counts{") || !s.Has("files[") {
			continue
		}
		d := converted.Document{Main: m, Root: path.Dir(m.Name)}
		for _, one := range members {
			if one.Part == m.Part && (d.Root == "." || strings.HasPrefix(one.Name, d.Root+"/")) {
				d.Members = append(d.Members, one)
			}
		}
		said, err := check(ctx, &d, limits)
		if err != nil && !errors.As(err, &d.Refused) {
			return nil, nil, err
		}
		if d.Refused != nil { // what else lies in its folder may be an export of another kind
			d.Members = slices.DeleteFunc(d.Members, func(one archive.Member) bool { return !isPart(one.Name, d.Root) })
		}
		docs, notes = append(docs, d), append(notes, said...)
	}
	return docs, notes, nil
}

// isPart tells whether a bundle in a folder has a file of this name, listed or not.
func isPart(name, root string) bool {
	if root != "." {
		name = strings.TrimPrefix(name, root+"/")
	}
	folder, _, inside := strings.Cut(name, "/")
	if !inside {
		return name == mem.ManifestFile || name == mem.SignatureFile || name == mem.ChecksumsFile
	}
	return slices.Contains([]string{"items", "audit", "provenance", "embeddings"}, folder)
}

// check verifies a bundle, and says what a person should know of it.
func check(ctx context.Context, d *converted.Document, limits importer.Limits) (notes []string, err error) {
	b, err := mem.New(converted.FS(ctx, *d))
	if err != nil {
		return nil, refused(d, err.Error())
	}
	first := ""
	r, err := b.Check(ctx, mem.CheckOptions{Scratch: limits.Scratch, MaxFindings: 1, OnFinding: func(f mem.Finding) {
		if first == "" && f.Severity == mem.Error {
			first = f.String()
		}
	}})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, refused(d, err.Error())
	case r.Errors > 0:
		return nil, refused(d, fmt.Sprintf("%s; %d errors in all", first, r.Errors))
	}
	d.IsPAM = b.Manifest.Counts["pamStore"] > 0
	notes = append(notes, fmt.Sprintf("%s: Portable Memory %s, level %s, %d records", d.Main.Name, b.Manifest.Format, b.Manifest.ConformanceLevel, total(r.Counts)))
	if n := r.Counts[mem.Tombstone]; n > 0 {
		applied := "1 tombstone was applied"
		if n > 1 {
			applied = fmt.Sprintf("%d tombstones were applied", n)
		}
		notes = append(notes, fmt.Sprintf("%s: %s inside the bundle only; to erase from the store what they name: pamline erase --tombstones BUNDLE", d.Main.Name, applied))
	}
	return notes, nil
}

func total(counts map[string]int64) (n int64) {
	for _, one := range counts {
		n += one
	}
	return n
}

func refused(d *converted.Document, reason string) error {
	return &importer.RefusedError{
		Reason: fmt.Sprintf("read %s: the Portable Memory bundle is not valid, and nothing of it was read: %s", d.Main.Name, reason),
		Hint:   "see all that is wrong with it: pamline validate BUNDLE; ask the sender for an intact copy",
	}
}

// toPAM converts a bundle.
func toPAM(ctx context.Context, d converted.Document, _ importer.Limits, scratch string, out converted.Output) error {
	b, err := mem.New(converted.FS(ctx, d))
	if err != nil {
		return refused(&d, err.Error())
	}
	_, _, err = convert.PAMFromMem(ctx, []*mem.Bundle{b}, convert.Options{Scratch: scratch, Generator: "pamline/1.0.0", NoStubs: true}, mem.MergeOptions{}, convert.Output(out))
	return err
}
