package convert

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pamline/pamline/interop/mif"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// mifWriter writes the members of a document one after the other. What goes wrong is the error of
// Flush.
type mifWriter struct {
	*bufio.Writer
	behind bool
}

func (w *mifWriter) putText(text ...[]byte) {
	for _, t := range text {
		_, _ = w.Write(t) // Flush gives the error
	}
}

func (w *mifWriter) putKey(name string) {
	if w.behind {
		w.putText([]byte{','})
	}
	w.behind = true
	w.putText(pamio.AppendString(nil, name), []byte{':'})
}

func (w *mifWriter) putValue(name string, v any) error {
	text, err := json.Marshal(v)
	w.putKey(name)
	w.putText(text)
	return err
}

// putElements writes a list; nil is an empty one.
func (w *mifWriter) putElements(s *extsort.Sorter) error {
	w.putText([]byte{'['})
	if s != nil {
		behind := false
		for r, err := range s.Sorted() {
			if err != nil {
				return err
			}
			if behind {
				w.putText([]byte{','})
			}
			behind = true
			w.putText(r.Value)
		}
	}
	w.putText([]byte{']'})
	return nil
}

// writeDocument writes the document: the root that it had, or a new one.
func (c *mifOut) writeDocument(ctx context.Context, to io.Writer) error {
	if c.manifest == nil {
		return c.writeSummed(ctx, to)
	}
	w := &mifWriter{Writer: bufio.NewWriterSize(to, 256<<10)}
	return errors.Join(c.writeOldRoot(w, []byte(c.manifest.Raw)), w.Flush())
}

// writeSummed writes a new document with its checksum, which is that of the whole and stands at its
// beginning: the document is written to a scratch file first.
func (c *mifOut) writeSummed(ctx context.Context, to io.Writer) (err error) {
	f, err := os.CreateTemp(c.o.Scratch, "mif-*")
	if err != nil {
		return fmt.Errorf("create scratch file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	export := map[string]any{
		"id": "exp_" + textDigest(c.scalars.ExportID + c.scalars.ExportDate)[:16], "created_at": memTime(c.scalars.ExportDate), "user_id": c.scalars.Owner.ID, "x_checksum_profile": mif.Profile,
	}
	w := &mifWriter{Writer: bufio.NewWriterSize(f, 256<<10)}
	w.putText([]byte{'{'})
	if err := w.putValue("export", export); err != nil {
		return err
	}
	head := int64(w.Buffered())
	if err := c.writeRest(w); err != nil {
		return err
	}
	w.putText([]byte{'}'})
	if err := errors.Join(w.Flush(), ctx.Err()); err != nil {
		return fmt.Errorf("write MIF: %w", err)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("write MIF: %w", err)
	}
	if size > mif.MaxDocument {
		return fmt.Errorf("write MIF: the document would be larger than %d bytes; use --to mem", int64(mif.MaxDocument))
	}
	d, err := mif.New(f, size)
	if err != nil {
		return fmt.Errorf("write MIF: %w", err)
	}
	switch sum, err := d.Sum(); {
	case errors.Is(err, mif.ErrNoChecksum):
		c.report.Notes = append(c.report.Notes, "the document has no checksum: a number in it has no canonical form")
		delete(export, "x_checksum_profile")
	case err != nil:
		return fmt.Errorf("write MIF: %w", err)
	default:
		export["checksum"] = "sha256:" + sum
	}
	text, err := json.Marshal(map[string]any{"export": export})
	if err == nil {
		_, err = io.Copy(to, io.MultiReader(bytes.NewReader(text[:len(text)-1]), io.NewSectionReader(f, head, size-head), bytes.NewReader([]byte{'\n'})))
	}
	return err
}

// writeRest writes the members of a new document behind its export block.
func (c *mifOut) writeRest(w *mifWriter) error {
	// Programs look for the version at the beginning of a file.
	err := errors.Join(w.putValue("mif_version", "1.0"), w.putValue("generator", map[string]string{"name": "pamline", "version": "1.0.0"}))
	if edges := c.lists[mif.Edges]; edges != nil {
		w.putKey("graph")
		w.putText(fmt.Appendf(nil, `{"edge_count":%d,"edges":`, edges.Len()))
		err = errors.Join(err, w.putElements(edges))
		w.putText([]byte(`,"format":"adjacency_list"}`))
	}
	w.putKey(mif.Memories)
	err = errors.Join(err, w.putElements(c.lists[mif.Memories]))
	err = errors.Join(err, w.putValue("metadata", map[string]any{"total_memories": c.report.Written["memory"], "total_todos": 0}))
	if err != nil {
		return err
	}
	if c.o.Clean {
		if c.scalars.Signature != nil {
			c.report.lose("signature", 1)
		}
		return nil
	}
	if err := w.putValue("x_pam", map[string]any{"store": json.RawMessage(compactText(c.scalars.Raw)), "collections": c.collections}); err != nil {
		return err
	}
	for _, list := range []string{mif.PAMIndex, mif.PAMDocuments, mif.PAMEmbeddings, mif.PAMRelations} {
		if c.lists[list] == nil {
			continue
		}
		w.putKey(list)
		if err := w.putElements(c.lists[list]); err != nil {
			return err
		}
	}
	return nil
}

// writeOldRoot puts the lists of a document into the root that it had.
func (c *mifOut) writeOldRoot(w *mifWriter, root []byte) error {
	d, err := jsonscan.Parse(root, 0)
	if err != nil {
		return fmt.Errorf("read the root of the MIF document: %w", err)
	}
	w.putText([]byte{'{'})
	hasMemories := false
	for k, v := range d.Root().Fields() {
		name := k.Str()
		w.putKey(name)
		if mifLists[name] == "" || v.Kind() != jsonscan.Array {
			w.putText(v.Raw())
			continue
		}
		hasMemories = hasMemories || name == mif.Memories
		if err := w.putElements(c.lists[name]); err != nil {
			return err
		}
	}
	if !hasMemories {
		w.putKey(mif.Memories)
		if err := w.putElements(c.lists[mif.Memories]); err != nil {
			return err
		}
	}
	w.putText([]byte("}\n"))
	return nil
}
