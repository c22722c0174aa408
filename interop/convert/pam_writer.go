package convert

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Output takes the files of a result one after the other.
type Output func(name string, write func(io.Writer) error) error

// pamWriter collects the parts of a PAM bundle in any order and writes it.
type pamWriter struct {
	scratch                          string
	memories, relations, index, docs *extsort.Sorter
	embeddings, files                *extsort.Sorter
	number                           uint64
	// head is the text of a store's object without its collections; nil if header holds it.
	head   []byte
	header pamio.Header
	// collections are those that the source had; nil is all.
	collections []string
	hasVectors  bool
	ids         map[[idSize]byte]bool
	report      *Report
	// derived are relations made of records; those whose ends are not both there are left out.
	derived *extsort.Sorter
}

func newPAMWriter(scratch string, r *Report) *pamWriter {
	w := &pamWriter{scratch: scratch, report: r, ids: map[[idSize]byte]bool{}}
	for _, s := range w.sorters() {
		*s = extsort.New(scratch, 16<<20)
	}
	return w
}

func (w *pamWriter) sorters() []**extsort.Sorter {
	return []**extsort.Sorter{&w.memories, &w.relations, &w.index, &w.docs, &w.embeddings, &w.files, &w.derived}
}

func (w *pamWriter) Close() (err error) {
	for _, s := range w.sorters() {
		err = errors.Join(err, (*s).Close())
	}
	return err
}

// addMemory adds a memory as text. n is its place in the source, below 0 if ids order the memories.
func (w *pamWriter) addMemory(n int64, raw []byte) error {
	d, err := jsonscan.Parse(raw, 0)
	if err != nil {
		return fmt.Errorf("add memory: %w", err)
	}
	id := d.Root().Get("id").Str()
	if id == "" || w.has(id) {
		return fmt.Errorf("add memory: two records have the id %q, or it is empty", id)
	}
	w.ids[idKey(id)] = true
	if canonical, err := pamio.Canonicalize(raw); err == nil {
		raw = canonical
	}
	key := append([]byte{0xff}, id...)
	if n >= 0 {
		key = append(binary.BigEndian.AppendUint64([]byte{0}, uint64(n)), id...)
	}
	w.report.Written["memories"]++
	return w.memories.Add(key, raw)
}

func (w *pamWriter) addTo(s *extsort.Sorter, what string, raw []byte) error {
	w.number++
	w.report.Written[what]++
	return s.Add(binary.BigEndian.AppendUint64(nil, w.number), raw)
}

func (w *pamWriter) addRelation(raw []byte) error { return w.addTo(w.relations, "relations", raw) }

// addPart adds a piece of a file; pieces of a file are put together by their numbers.
func (w *pamWriter) addPart(s *extsort.Sorter, name string, n uint64, data []byte) error {
	return s.Add(binary.BigEndian.AppendUint64(append([]byte(name), 0), n), data)
}

// addDerivedRelations adds the derived relations in the order of their ids, each once.
func (w *pamWriter) addDerivedRelations() error {
	var last []byte
	for rec, err := range w.derived.Sorted() {
		if err != nil {
			return err
		}
		r, err := pamio.ParseRelation(rec.Value)
		if err != nil {
			return err
		}
		if bytes.Equal(rec.Key, last) || !w.has(r.From) || !w.has(r.To) {
			continue
		}
		last = append(last[:0], rec.Key...)
		if err := w.addRelation(rec.Value); err != nil {
			return err
		}
	}
	return nil
}

const idSize = 16

// idKey is an id in little memory.
func idKey(id string) [idSize]byte {
	sum := sha256.Sum256([]byte(id))
	return [idSize]byte(sum[:])
}

func (w *pamWriter) has(id string) bool { return w.ids[idKey(id)] }

// write writes the store and then what lies beside it.
func (w *pamWriter) write(out Output) error {
	if err := w.addDerivedRelations(); err != nil {
		return err
	}
	memories, err := w.spool(w.memories)
	if err != nil {
		return err
	}
	defer memories.remove()
	if err := out(pamio.StoreFile, func(to io.Writer) error { return w.writeStore(to, memories) }); err != nil {
		return fmt.Errorf("write store: %w", err)
	}
	if w.hasVectors {
		if err := out(pamio.EmbeddingsFile, w.writeEmbeddings); err != nil {
			return fmt.Errorf("write embeddings: %w", err)
		}
	}
	for _, s := range []*extsort.Sorter{w.docs, w.files} {
		if err := writeParts(s, out); err != nil {
			return err
		}
	}
	return nil
}

// spooled is the text of a collection in a scratch file.
type spooled struct {
	*pamio.Section
	name string
}

func (s *spooled) remove() { _ = os.Remove(s.name) } // the scratch folder goes with the command

func (w *pamWriter) spool(from *extsort.Sorter) (s *spooled, err error) {
	f, err := os.CreateTemp(w.scratch, "memories-*")
	if err != nil {
		return nil, fmt.Errorf("create scratch file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	s = &spooled{pamio.NewSection(f), f.Name()}
	for r, err := range from.Sorted() {
		if err != nil {
			return nil, err
		}
		if err := s.Add(r.Value); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// writeStore writes the scalars, the integrity block made anew, and the collections. A signature of
// the source stays if the memories still have the checksum that it covers.
func (w *pamWriter) writeStore(to io.Writer, memories *spooled) error {
	in, err := w.integrity()
	if err != nil {
		return err
	}
	head, err := w.scalars(in)
	if err != nil {
		return err
	}
	if _, err := to.Write(head); err != nil {
		return err
	}
	f, err := os.Open(memories.name)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	for _, c := range []struct {
		key  string
		text io.Reader
		from *extsort.Sorter
	}{{"memories", f, nil}, {"relations", nil, w.relations}, {"conversations_index", nil, w.index}} {
		if w.collections != nil && !slices.Contains(w.collections, c.key) && (c.from == nil || c.from.Len() == 0) {
			continue
		}
		if _, err := fmt.Fprintf(to, ",%q:[", c.key); err != nil {
			return err
		}
		if c.text != nil {
			_, err = io.Copy(to, c.text)
		} else {
			err = writeJoined(to, c.from)
		}
		if err != nil {
			return err
		}
		if _, err := io.WriteString(to, "]"); err != nil {
			return err
		}
	}
	_, err = io.WriteString(to, "}\n")
	return err
}

// integrity is the block of the memories in the order of their ids (PAM §15.2).
func (w *pamWriter) integrity() (in pamio.Integrity, err error) {
	byID := extsort.New(w.scratch, 16<<20)
	defer func() { err = errors.Join(err, byID.Close()) }()
	for r, err := range w.memories.Sorted() {
		if err != nil {
			return in, err
		}
		id := r.Key[1:]
		if r.Key[0] == 0 {
			id = r.Key[9:]
		}
		if err := byID.Add(id, r.Value); err != nil {
			return in, err
		}
	}
	var sum pamio.Checksummer
	for r, err := range byID.Sorted() {
		if err != nil {
			return in, err
		}
		if err := sum.Add(string(r.Key), r.Value); err != nil {
			return in, err
		}
	}
	return sum.Integrity(), nil
}

// scalars is the beginning of the store's text, its object left open.
func (w *pamWriter) scalars(in pamio.Integrity) ([]byte, error) {
	if w.head == nil {
		var b bytes.Buffer
		empty := (&pamio.Checksummer{}).Integrity()
		if err := pamio.WriteStore(&b, w.header, nil, nil, nil, empty, nil); err != nil {
			return nil, err
		}
		w.head = b.Bytes()
	}
	d, err := jsonscan.Parse(w.head, 0)
	if err != nil {
		return nil, fmt.Errorf("read the head of the store: %w", err)
	}
	root := d.Root()
	same := root.Get("integrity").Get("checksum").Is(in.Checksum)
	out := []byte{'{'}
	for k, v := range root.Fields() {
		name, text := k.Str(), v.Raw()
		switch {
		case name == "memories" || name == "relations" || name == "conversations_index":
			continue
		case name == "signature" && !v.IsNull() && !same:
			w.report.lose("signature (the memories are not those that were signed)", 1)
			continue
		case name == "integrity" && !v.IsNull() && !same:
			text = fmt.Appendf(nil, `{"canonicalization":"RFC8785","checksum":%q,"total_memories":%d}`, in.Checksum, in.TotalMemories)
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, k.Raw()...), ':'), text...)
	}
	return out, nil
}

func (w *pamWriter) writeEmbeddings(to io.Writer) error {
	r, pipe := io.Pipe()
	go func() { _ = pipe.CloseWithError(writeJoined(pipe, w.embeddings)) }() // the reader gets the error
	err := pamio.WriteEmbeddings(to, r)
	return errors.Join(err, r.Close())
}

func writeJoined(to io.Writer, from *extsort.Sorter) error {
	s := pamio.NewSection(to)
	for r, err := range from.Sorted() {
		if err != nil {
			return err
		}
		if err := s.Add(r.Value); err != nil {
			return err
		}
	}
	return nil
}

// writeParts puts the pieces of files together, in one pass.
func writeParts(s *extsort.Sorter, out Output) error {
	next, stop := iter.Pull2(s.Sorted())
	defer stop()
	r, err, more := next()
	for more && err == nil {
		name := string(r.Key[:len(r.Key)-9])
		writing := out(name, func(to io.Writer) error {
			for more && err == nil && string(r.Key[:len(r.Key)-9]) == name {
				if _, err := to.Write(r.Value); err != nil {
					return err
				}
				r, err, more = next()
			}
			return err
		})
		if writing != nil {
			return fmt.Errorf("write %s: %w", name, writing)
		}
		// An output that takes the store alone does not ask for the text.
		for more && err == nil && string(r.Key[:len(r.Key)-9]) == name {
			r, err, more = next()
		}
	}
	return err
}
