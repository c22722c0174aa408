package converted

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/pam"
)

// Output takes the files of a PAM bundle one after the other.
type Output func(name string, write func(io.Writer) error) error

// Document is one document of a drop: a file, or all files of a folder.
type Document struct {
	// Main is the member that names the document; units and errors are of it.
	Main archive.Member
	// Members are all of its members, Main included.
	Members []archive.Member
	// Root is the folder of a document that is one, "." for the top.
	Root string
	// IsPAM tells that the document holds a PAM store, whose signature is verified first.
	IsPAM bool
	// Digest is what was checked of the document, "" if that is not known.
	Digest string
	// Refused is why the document must not be read. Nobody else reads it then.
	Refused *importer.RefusedError
}

// Format is an importer of documents that are converted.
type Format struct {
	Provider, Release string
	// Find recognizes the documents among members by their content.
	Find func(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (docs []Document, described []string, err error)
	// Convert writes a document as a PAM bundle. scratch is a folder of its own.
	Convert func(ctx context.Context, d Document, limits importer.Limits, scratch string, out Output) error
}

var _ importer.Importer = &Format{}

// Name is the identifier of the format.
func (f *Format) Name() string { return f.Provider }

// Version is the version of the importer.
func (f *Format) Version() string { return f.Release }

// RestoreFile names the file of restored conversations.
func (f *Format) RestoreFile() string { return "conversations.json" }

// Restore gives the conversation, which was PAM.
func (f *Format) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return doc.AppendJSON(dst), nil
}

// The roles of claimed members.
const (
	roleMain   = "document"
	rolePartOf = "part"
)

// context of a claim.
type joined struct{ docs []Document }

// Claim takes the documents. Of one that holds a PAM store it verifies the signature.
func (f *Format) Claim(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	docs, described, err := f.Find(ctx, members, peek, limits.WithDefaults())
	if err != nil {
		return c, err
	}
	c.Described = described
	var sound []Document
	for _, d := range docs {
		if d.Refused == nil && d.IsPAM {
			err := f.inPAM(ctx, d, limits.WithDefaults(), func(inner importer.Claim, _ string) error {
				for _, s := range inner.Signatures {
					s.Member = d.Main.Name
					c.Signatures = append(c.Signatures, s)
				}
				c.Exports, c.Bases = append(c.Exports, inner.Exports...), append(c.Bases, inner.Bases...)
				return nil
			})
			if err != nil && !errors.As(err, &d.Refused) {
				return importer.Claim{}, err
			}
		}
		if d.Refused == nil {
			sound = append(sound, d)
		}
		c.Members, c.Refused = append(c.Members, d.claimed()...), append(c.Refused, d.refusals()...)
	}
	c.Context = joined{sound}
	return c, nil
}

// claimed are the members of the document with their roles.
func (d *Document) claimed() (list []importer.ClaimedMember) {
	for _, m := range d.Members {
		role := rolePartOf
		switch {
		case d.Refused != nil:
			role = importer.RoleRefused
		case m.Index == d.Main.Index:
			role = roleMain
		}
		list = append(list, importer.ClaimedMember{Member: m, Role: role})
	}
	return list
}

// refusals say why nothing is read of a document that is refused.
func (d *Document) refusals() (list []importer.Refusal) {
	if d.Refused == nil {
		return nil
	}
	list = append(list, importer.Refusal{Member: d.Main, Reason: d.Refused.Reason, Hint: d.Refused.Hint})
	for _, m := range d.Members {
		if m.Index != d.Main.Index {
			list = append(list, importer.Refusal{Member: m, Reason: "it belongs to " + d.Main.Name + ", of which nothing is read"})
		}
	}
	return list
}

// unitOf is the context of a unit: the unit of the PAM importer, and the files that it names.
type unitOf struct {
	inner importer.Unit
	files map[int][]byte
}

// Split converts each document and yields the units of the PAM bundle that comes of it.
func (f *Format) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	return func(yield func(importer.Unit, error) bool) {
		byIndex := map[int]archive.Member{} // as the claim has them now: their readers may be counted
		for _, m := range c.Members {
			byIndex[m.Member.Index] = m.Member
		}
		for _, d := range c.Context.(joined).docs {
			d.Members = slices.Clone(d.Members)
			for i, m := range d.Members {
				d.Members[i] = byIndex[m.Index]
			}
			d.Main = byIndex[d.Main.Index]
			more := true
			err := f.inPAM(ctx, d, limits.WithDefaults(), func(inner importer.Claim, _ string) error {
				more = splitPAM(ctx, d, inner, limits, yield)
				return nil
			})
			if err != nil && more {
				more = yield(importer.Unit{}, err)
			}
			if !more {
				return
			}
		}
	}
}

// splitPAM yields the units of a converted document as units of its main member.
func splitPAM(ctx context.Context, d Document, inner importer.Claim, limits importer.Limits, yield func(importer.Unit, error) bool) bool {
	n := 0
	named := map[int]bool{}
	for u, err := range reader.Split(ctx, inner, limits) {
		if err != nil {
			return yield(importer.Unit{}, err)
		}
		out := u
		context := &unitOf{inner: u}
		context.inner.Raw = nil
		if context.files, err = filesOf(ctx, u, inner); err != nil {
			return yield(importer.Unit{}, err)
		}
		for i := range context.files {
			named[i] = true
		}
		out.Member, out.Role, out.Context, out.Index, out.Offset = d.Main, roleMain, context, n, 0
		if u.Err != nil {
			bad := *u.Err
			bad.Member = d.Main.Name
			out.Err = &bad
		}
		n++
		if !yield(out, nil) {
			return false
		}
	}
	if left := assets(inner) - len(named); left > 0 {
		skip := importer.Skip{Code: "file-unnamed", Reason: "files of the bundle that no message names", Count: left}
		return yield(importer.Unit{Member: d.Main, Role: roleMain, Index: n, Context: skip, Limits: limits}, nil)
	}
	return true
}

// assets counts the files of a bundle.
func assets(c importer.Claim) (n int) {
	for _, m := range c.Members {
		if m.Role == importer.RoleAsset {
			n++
		}
	}
	return n
}

// Decode decodes a unit as PAM. Files that a message names come along with the conversation.
func (f *Format) Decode(u importer.Unit) ([]importer.Item, error) {
	if u.Err != nil {
		return nil, u.Err
	}
	if skip, ok := u.Context.(importer.Skip); ok {
		return []importer.Item{{Skip: &skip}}, nil
	}
	in, ok := u.Context.(*unitOf)
	if !ok {
		return nil, &importer.UnitError{Member: u.Member.Name, Index: u.Index, Code: "not_a_unit", Reason: "the unit is not of a converted document"}
	}
	inner := in.inner
	inner.Raw = u.Raw
	items, err := reader.Decode(inner)
	var bad *importer.UnitError
	if errors.As(err, &bad) {
		located := *bad
		located.Member, located.Index, located.Offset = u.Member.Name, u.Index, 0
		return nil, &located
	}
	for _, item := range items {
		switch {
		case item.Record != nil:
			item.Record.Provider = f.Provider
		case item.Conversation != nil:
			in.placeFiles(item.Conversation)
		}
	}
	return items, err
}

// reader reads what comes of a conversion.
var reader = pam.New()

// inPAM converts a document in a scratch folder, claims the PAM bundle that comes of it, and
// removes the folder afterwards.
func (f *Format) inPAM(ctx context.Context, d Document, limits importer.Limits, use func(c importer.Claim, folder string) error) (err error) {
	folder, err := os.MkdirTemp(limits.Scratch, "converted-*")
	if err != nil {
		return fmt.Errorf("convert %s: %w", d.Main.Name, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	var members []archive.Member
	add := func(name string, write func(io.Writer) error) (err error) {
		file := filepath.Join(folder, fmt.Sprintf("%d", len(members)))
		size, err := writeFile(file, write)
		if err != nil {
			return err
		}
		members = append(members, archive.NewMember(path.Clean(name), size, len(members), func(context.Context) (io.ReadCloser, error) { return os.Open(file) }))
		return nil
	}
	sorting := filepath.Join(folder, "sorting")
	if err := os.Mkdir(sorting, 0o700); err != nil {
		return fmt.Errorf("convert %s: %w", d.Main.Name, err)
	}
	if err := f.Convert(ctx, d, limits, sorting, add); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var refused *importer.RefusedError
		if errors.As(err, &refused) {
			return refused
		}
		return fmt.Errorf("convert %s: %w", d.Main.Name, err)
	}
	c, err := reader.Claim(ctx, members, importer.NewPeeks(), limits)
	if err != nil {
		return err
	}
	if len(c.Refused) > 0 {
		return &importer.RefusedError{Reason: c.Refused[0].Reason, Hint: c.Refused[0].Hint}
	}
	return use(c, folder)
}

func writeFile(name string, write func(io.Writer) error) (size int64, err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, fmt.Errorf("create scratch file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := write(f); err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("create scratch file: %w", err)
	}
	return info.Size(), nil
}
