// Package restore writes the conversations of a bundle back into the form of the provider they came from.
package restore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// MaxConversation is the largest conversation file that is read, in bytes.
const MaxConversation = 1 << 30

// MaxListed is how many conversations a result names that were not restored.
const MaxListed = 100

// Importer turns one document back into the provider's own JSON element.
type Importer interface {
	Restore(dst []byte, doc *pamio.Conversation) ([]byte, error)
}

// Options say what to restore and where to.
type Options struct {
	// Provider is the platform of the conversations to restore; others are passed over.
	Provider string
	// File is written as a whole, or not at all. Replace allows one that is there.
	File    string
	Replace bool
	// Documents are the ones to restore, in their order, one at a time.
	Documents iter.Seq2[Document, error]
	// Importer gives the importer for an importer version of a document, or the best there is.
	Importer func(version string) Importer
}

// Result counts what was done.
type Result struct {
	Conversations int64 `json:"conversations"`
	// Folded are those restored conversations that were put together from several archives with differences.
	Folded int64 `json:"folded"`
	Others int64 `json:"other_platforms"`
	Failed int64 `json:"failed"`
	// Missing are the first MaxListed that were not restored.
	Missing []Missing `json:"missing,omitempty"`
}

// Missing is a conversation that was not restored.
type Missing struct {
	Conversation string `json:"conversation"`
	Reason       string `json:"reason"`
}

// Document is a conversation to restore. The error that comes with it is its own when Conversation is set, else the end of
// all.
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

// Run restores the conversations of one provider, one at a time, as a JSON array. When none could be restored there is an
// error and no file.
func Run(ctx context.Context, o Options) (r Result, err error) {
	if _, err := os.Lstat(o.File); err == nil && !o.Replace {
		return r, fmt.Errorf("restore: %s is already there: move it away, or replace it with --force", o.File)
	}
	if err := os.MkdirAll(filepath.Dir(o.File), 0o755); err != nil {
		return r, fmt.Errorf("restore: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(o.File), ".pamline-restore-*")
	if err != nil {
		return r, fmt.Errorf("restore: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreMissing(os.Remove(f.Name())))
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	err = r.write(ctx, w, o)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return r, fmt.Errorf("restore: %w", err)
	}
	if r.Conversations == 0 {
		reason := fmt.Sprintf("there are no conversations of %s", o.Provider)
		if len(r.Missing) > 0 {
			reason = fmt.Sprintf("none of %d conversations could be restored; the first: %s: %s", r.Failed, r.Missing[0].Conversation, r.Missing[0].Reason)
		}
		return r, fmt.Errorf("restore: %s", reason)
	}
	if err := os.Rename(f.Name(), o.File); err != nil {
		return r, fmt.Errorf("restore: %w", err)
	}
	return r, nil
}

func (r *Result) write(ctx context.Context, w io.Writer, o Options) error {
	var buf []byte
	before := "["
	for c, err := range o.Documents {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if c.Conversation == "" {
			return err
		}
		if c.Platform != o.Provider {
			r.Others++
			continue
		}
		folded := false
		if err == nil {
			buf, folded, err = one(append(buf[:0], before...), c, o)
		}
		if err != nil {
			r.fail(c.Conversation, err)
			continue
		}
		if folded {
			r.Folded++
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
		r.Conversations++
		before = ",\n"
	}
	end := "]\n"
	if before == "[" {
		end = "[]\n"
	}
	_, err := io.WriteString(w, end)
	return err
}

// one appends the provider's element of one conversation.
func one(dst []byte, c Document, o Options) (_ []byte, folded bool, err error) {
	if c.Raw == nil {
		return dst, false, errors.New("the bundle does not hold its file")
	}
	doc, err := pamio.ParseConversation(c.Raw)
	if err != nil {
		return dst, false, err
	}
	version := c.Importer
	if doc.Import != nil {
		version = doc.Import.ImporterVersion
	}
	dst, err = o.Importer(version).Restore(dst, doc)
	return dst, isFolded(doc.RawMetadata), err
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

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
