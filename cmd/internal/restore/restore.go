// Package restore writes the conversations of a bundle back into the form of the provider they came
// from.
package restore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// MaxConversation is the largest conversation file that is read, in bytes.
const MaxConversation = 1 << 30

// MaxListed is how many conversations a result names that were not restored.
const MaxListed = 100

// ErrNone is wrapped by the error of a Run that met nothing of the name it was given.
var ErrNone = errors.New("there are no conversations")

// Importer turns one document back into the provider's own JSON: an array element, or several with
// commas between them.
type Importer interface {
	Restore(dst []byte, doc *pamio.Conversation) ([]byte, error)
	RestoreFile() string
}

// Options say what to restore and where to.
type Options struct {
	// Name is that of an importer or of a provider; one provider, "local" for example, may have
	// several importers.
	Name string
	// Folder gets a file for each importer that has something to restore: that of the importer
	// called Name at its root, others in folders of their names. A file is written as a whole, or
	// not at all. Replace allows one that is there.
	Folder  string
	Replace bool
	// Documents are the ones to choose from, in their order, one at a time.
	Documents iter.Seq2[Document, error]
	// Importer gives the importer of a version, or the newest one of that name.
	Importer func(version, name string) (Importer, error)
}

// Result counts what was done.
type Result struct {
	Conversations int64 `json:"conversations"`
	// Files are those that were written.
	Files []File `json:"files"`
	// Folded are those restored conversations that were put together from several archives with
	// differences.
	Folded int64 `json:"folded"`
	Others int64 `json:"other_platforms"`
	Failed int64 `json:"failed"`
	// NoInverse are conversations, beside the failed ones, whose format cannot be built again.
	NoInverse int64 `json:"no_inverse,omitempty"`
	// OtherTools are restored conversations that another tool wrote. What that tool left out of
	// them is not rebuilt.
	OtherTools int64 `json:"other_tools,omitempty"`
	// Missing are the first MaxListed that were not restored.
	Missing []Missing `json:"missing,omitempty"`
}

// File is a file that was written.
type File struct {
	File          string `json:"file"`
	Conversations int64  `json:"conversations"`
}

// Missing is a conversation that was not restored.
type Missing struct {
	Conversation string `json:"conversation"`
	Reason       string `json:"reason"`
}

// Document is a conversation to restore. The error that comes with it is its own when Conversation
// is set, else the end of all.
type Document struct {
	Conversation string
	Platform     string
	// Importer is the version that read it; "" when the document says it.
	Importer string
	// Raw is the document, valid until the next one.
	Raw []byte
}

// Bundle gives the conversations of a bundle in the order of its index.
func Bundle(b *pamio.Bundle) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for c, err := range b.Conversations(MaxConversation) {
			d := Document{Raw: c.Raw}
			if c.Entry != nil {
				d.Conversation, d.Platform = c.Entry.ID, c.Entry.Platform
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// Run restores the conversations of one importer or provider, one at a time, as JSON arrays. When
// none could be restored there is an error and no file.
func Run(ctx context.Context, o Options) (r Result, err error) {
	out := outputs{o: o, of: map[string]*output{}}
	defer func() { err = errors.Join(err, out.discard()) }()
	for c, err := range o.Documents {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if c.Conversation == "" {
			return r, fmt.Errorf("restore: %w", err)
		}
		if err := r.take(c, err, o, &out); err != nil {
			return r, fmt.Errorf("restore: %w", err)
		}
	}
	switch {
	case r.Conversations > 0:
		r.Files, err = out.commit()
		return r, err
	case r.Failed == 0 && r.NoInverse == 0:
		return r, fmt.Errorf("restore: %w of %s", ErrNone, o.Name)
	case r.Failed == 0:
		return r, fmt.Errorf("restore: %s: %w, so no file is built from its %d conversations: what their rows said is kept in raw_metadata of each", o.Name, importer.ErrNoInverse, r.NoInverse)
	}
	return r, fmt.Errorf("restore: none of %d conversations could be restored; the first: %s: %s", r.Failed, r.Missing[0].Conversation, r.Missing[0].Reason)
}

// take restores one document, if it is wanted. What is wrong with it is counted; the error ends
// all.
func (r *Result) take(c Document, err error, o Options, out *outputs) error {
	if !o.mayWant(&c) {
		r.Others++
		return nil
	}
	var doc *pamio.Conversation
	switch {
	case err != nil:
	case c.Raw == nil:
		err = errors.New("the bundle does not hold its file")
	default:
		doc, err = pamio.ParseConversation(c.Raw)
	}
	if err != nil {
		r.fail(c.Conversation, err)
		return nil
	}
	version := c.Importer
	if doc.Import != nil {
		version = doc.Import.ImporterVersion
	}
	name := nameOf(version)
	foreign := name == "" || doc.Import != nil && !strings.HasPrefix(doc.Import.Importer, ownImporter)
	if foreign {
		name = c.Platform
	}
	if name != o.Name && c.Platform != o.Name {
		r.Others++
		return nil
	}
	imp, err := o.Importer(version, name)
	if err != nil {
		r.fail(c.Conversation, err)
		return nil
	}
	out.buf, err = imp.Restore(out.buf[:0], doc)
	if err != nil {
		if errors.Is(err, importer.ErrNoInverse) {
			r.NoInverse++
			return nil
		}
		r.fail(c.Conversation, err)
		return nil
	}
	if err := out.write(name, imp.RestoreFile()); err != nil {
		return err
	}
	if isFolded(doc.RawMetadata) {
		r.Folded++
	}
	if foreign {
		r.OtherTools++
	}
	r.Conversations++
	return nil
}

// ownImporter begins the importer in the documents that pamline wrote.
const ownImporter = "pamline/"

// nameOf is the importer's name in a version: "openwebui" of "openwebui-importer/2026.07".
func nameOf(version string) string {
	name, _, ok := strings.Cut(version, "-importer/")
	if !ok {
		return ""
	}
	return name
}

// mayWant is false for documents that need not be parsed to tell that they are of others.
func (o Options) mayWant(c *Document) bool {
	return c.Platform == o.Name || nameOf(c.Importer) == o.Name || bytes.Contains(c.Raw, []byte(`"`+o.Name+`-importer/`))
}

// isFolded tells whether a document was put together from several archives.
func isFolded(raw pamio.RawJSON) bool {
	if raw == nil {
		return false
	}
	d, err := jsonscan.Parse(raw, 0)
	return err == nil && (d.Root().Get("folded").True() || d.Root().Get("conflicts").Exists())
}

func (r *Result) fail(id string, err error) {
	r.Failed++
	if len(r.Missing) < MaxListed {
		r.Missing = append(r.Missing, Missing{id, err.Error()})
	}
}
