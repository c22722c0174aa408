// Package restore writes the conversations of a bundle back into the form of the provider they came from.
package restore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
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

// Run restores the conversations of one provider, one at a time, in the order of the index, as a JSON array. When none
// could be restored there is an error and no file.
func Run(ctx context.Context, b *pamio.Bundle, o Options) (r Result, err error) {
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
	err = r.write(ctx, w, b, o)
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
		reason := fmt.Sprintf("the bundle has no conversations of %s", o.Provider)
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

func (r *Result) write(ctx context.Context, w io.Writer, b *pamio.Bundle, o Options) error {
	var buf []byte
	before := "["
	for c, err := range b.Conversations(MaxConversation) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if c.Entry == nil {
			return err
		}
		if c.Entry.Platform != o.Provider {
			r.Others++
			continue
		}
		folded := false
		if err == nil {
			buf, folded, err = one(append(buf[:0], before...), c, o)
		}
		if err != nil {
			r.fail(c.Entry.ID, err)
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
func one(dst []byte, c pamio.ConversationFile, o Options) (_ []byte, folded bool, err error) {
	if c.Raw == nil {
		return dst, false, errors.New("the bundle does not hold its file")
	}
	doc, err := pamio.ParseConversation(c.Raw)
	if err != nil {
		return dst, false, err
	}
	version := ""
	if doc.Import != nil {
		version = doc.Import.ImporterVersion
	}
	dst, err = o.Importer(version).Restore(dst, doc)
	return dst, hasConflicts(doc.RawMetadata), err
}

// hasConflicts tells whether a document keeps values that lost against those of another archive.
func hasConflicts(raw pamio.RawJSON) bool {
	if raw == nil {
		return false
	}
	d, err := jsonscan.Parse(raw, 0)
	return err == nil && d.Root().Get("conflicts").Exists()
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
