package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Open opens the parts of one drop as one archive: the union of their members in the order given.
// When a name occurs in two parts, every name gets the number of its part before it
// ("part-1/users.json"), so that the files of one part stay together. scratch is the folder for
// scratch files, "" the system's own.
//
// A single part that cannot be opened at all gives an *Error. Of several parts, those that cannot
// are Refused, and the *Error is returned only when nothing is left. Errors of other types come
// from storage or from ctx.
func Open(ctx context.Context, parts []Part, limits Limits, scratch string) (*Archive, error) {
	b := newBuilder(ctx, limits, scratch)
	var first *Error
	for i, p := range parts {
		kind, err := b.part(p, place{part: i, label: baseLabel(p.Name)})
		var bad *Error
		switch {
		case errors.As(err, &bad):
			b.refuse(bad)
			if first == nil {
				first = bad
			}
			continue
		case err != nil:
			return nil, errors.Join(err, b.a.Close())
		}
		if b.a.Kind == "" {
			b.a.Kind = kind
		} else if b.a.Kind != kind {
			b.a.Kind = "parts"
		}
	}
	if b.a.Kind == "" {
		if first == nil {
			first = &Error{Code: CodeEmpty, Archive: "", Reason: "there is nothing to open"}
		}
		return nil, errors.Join(first, b.a.Close())
	}
	separateParts(b.a.Members)
	return b.a, nil
}

func newBuilder(ctx context.Context, limits Limits, scratch string) *builder {
	limits = limits.withDefaults()
	sh := &shared{limits: limits}
	sh.scratch.dir, sh.scratch.max = scratch, limits.MaxScratch
	return &builder{ctx: ctx, sh: sh, a: &Archive{close: sh.scratch.close}}
}

// part opens one part by its content. After an *Error the members are as before.
func (b *builder) part(p Part, at place) (kind string, err error) {
	members, truncated, total := len(b.a.Members), b.a.Truncated, b.sh.total.Load()
	if p.Files != nil {
		for _, f := range p.Files {
			b.given += f.Size
		}
		kind, err = "folder", b.files(p.Files, at)
	} else {
		b.given += p.Source.Size()
		kind, err = b.content(p.Source, at)
	}
	var bad *Error
	if errors.As(err, &bad) {
		b.a.Members, b.a.Truncated = b.a.Members[:members], truncated
		b.sh.total.Store(total)
	}
	return kind, err
}

func (b *builder) content(src Source, at place) (kind string, err error) {
	if src.Size() == 0 {
		return "", &Error{Code: CodeEmpty, Archive: at.label, Reason: "the file is empty", Hint: "download the export again"}
	}
	head := make([]byte, min(src.Size(), tarBlock))
	if n, err := src.ReadAt(head, 0); n < len(head) {
		return "", fmt.Errorf("read start of %q: %w", at.label, err)
	}
	switch {
	case isZipMagic(head):
		return "zip", b.zip(src, at)
	case bytes.HasPrefix(head, []byte("PK\x07\x08")):
		return "", splitError(at)
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return b.gzip(src, at)
	case isTar(head):
		return "tar", b.tar(src, at)
	}
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return "", &Error{Code: CodeNotArchive, Archive: at.label, Reason: "it is " + f.name + ", which is not read", Hint: hintRepack}
		}
	}
	// A zip may have a program or anything else before it.
	if end, err := findEnd(src, at); err == nil {
		return "zip", b.zipDirectory(src, at, end)
	} else if bad := (*Error)(nil); !errors.As(err, &bad) || bad.Code == CodeSplit {
		return "", err
	}
	return "file", b.bare(src, at)
}

func (b *builder) bare(src Source, at place) error {
	return b.add(&entry{
		at: at, name: at.label, size: src.Size(), compressed: src.Size(),
		body:   func(context.Context) (io.ReadCloser, error) { return sectionOf(src), nil },
		direct: func(context.Context) (Source, error) { return src, nil },
	})
}

func sectionOf(src Source) io.ReadCloser {
	return io.NopCloser(io.NewSectionReader(src, 0, src.Size()))
}

// foreign are containers that people do have, by their first bytes.
var foreign = []struct{ magic, name string }{
	{"7z\xbc\xaf\x27\x1c", "a 7z archive"},
	{"Rar!\x1a\x07", "a RAR archive"},
	{"\xfd7zXZ\x00", "an xz file"},
	{"BZh", "a bzip2 file"},
	{"\x28\xb5\x2f\xfd", "a Zstandard file"},
}

// separateParts puts the part's number before every name if a name occurs in two parts.
func separateParts(members []Member) {
	seen := make(map[string]int)
	clash := false
	for _, m := range members {
		if p, ok := seen[m.Name]; ok && p != m.Part {
			clash = true
			break
		}
		seen[m.Name] = m.Part
	}
	if !clash {
		return
	}
	for i := range members {
		members[i].Name = fmt.Sprintf("part-%d/%s", members[i].Part+1, strings.TrimPrefix(members[i].Name, "/"))
	}
}
