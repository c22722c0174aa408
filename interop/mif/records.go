package mif

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Lists of a document whose elements are records, those of the graph with its name in front. The
// last four are ours: what a PAM store has beside its memories.
const (
	Memories      = "memories"
	Todos         = "todos"
	Nodes         = "graph/nodes"
	Edges         = "graph/edges"
	PAMRelations  = "x_pam_relations"
	PAMIndex      = "x_pam_conversations_index"
	PAMDocuments  = "x_pam_documents"
	PAMEmbeddings = "x_pam_embeddings"
)

var lists = []string{Memories, Todos, "projects", "reminders", Nodes, Edges, PAMRelations, PAMIndex, PAMDocuments, PAMEmbeddings}

func appendString(dst []byte, s string) []byte { return pamio.AppendString(dst, s) }

// Record is an element of a list, valid until the next one.
type Record struct {
	// Node is the element. It does not exist if Err says why it cannot be read.
	jsonscan.Node
	Index int
	Err   error
}

// Records gives the records of a list. The error is for what keeps the list from being read on.
func (d *Document) Records(list string) iter.Seq2[Record, error] {
	if d.Form == Lines {
		return d.lineRecords(list)
	}
	return func(yield func(Record, error) bool) {
		s, there := d.lists[list]
		if !there {
			return
		}
		f := jsonscan.NewFramer(io.NewSectionReader(d.in, s.start, s.end-s.start), jsonscan.FrameOptions{MaxValue: MaxRecord})
		var buf []byte
		var doc jsonscan.Doc
		for i := 0; ; i++ {
			frame, err := f.Next(buf)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Record{}, fmt.Errorf("read %s: %w: %w", list, ErrNotMIF, err))
				return
			}
			buf = frame.Raw
			if !yield(parseRecord(&doc, frame.Raw, i, frame.TooBig), nil) {
				return
			}
		}
	}
}

func parseRecord(doc *jsonscan.Doc, raw []byte, i int, tooBig bool) Record {
	if tooBig {
		return Record{Index: i, Err: fmt.Errorf("it has more than %d bytes", MaxRecord)}
	}
	if err := doc.Parse(raw, 0); err != nil {
		return Record{Index: i, Err: err}
	}
	if doc.Root().Odd() {
		return Record{Index: i, Err: errors.New("it has a duplicate key, half a surrogate pair or bytes that are not UTF-8")}
	}
	return Record{Node: doc.Root(), Index: i}
}

// Len is how many records a list has.
func (d *Document) Len(list string) (int64, error) {
	if n, known := d.counts[list]; known || d.Form == Lines {
		return n, nil
	}
	s, there := d.lists[list]
	if !there {
		return 0, nil
	}
	f := jsonscan.NewFramer(io.NewSectionReader(d.in, s.start, s.end-s.start), jsonscan.FrameOptions{MaxValue: 1})
	n := int64(0)
	var buf []byte
	for {
		frame, err := f.Next(buf)
		if errors.Is(err, io.EOF) {
			d.counts[list] = n
			return n, nil
		}
		if err != nil {
			return n, fmt.Errorf("read %s: %w: %w", list, ErrNotMIF, err)
		}
		buf = frame.Raw
		n++
	}
}

// Member gives the text of a member of the root with all that is in it, nil if there is none.
func (d *Document) Member(name string) ([]byte, error) {
	if d.Form == Lines && name == "graph" {
		text := []byte(`{"format":"adjacency_list","edges":[`)
		for r, err := range d.Records(Edges) {
			if err == nil {
				err = r.Err
			}
			if err != nil {
				return nil, err
			}
			if r.Index > 0 {
				text = append(text, ',')
			}
			if text = append(text, r.Raw()...); len(text) > MaxRecord {
				return nil, fmt.Errorf("%w: the graph has more than %d bytes", ErrNotMIF, MaxRecord)
			}
		}
		return append(text, "]}"...), nil
	}
	for _, s := range d.parts {
		if s.name == name {
			return readSection(d.in, s)
		}
	}
	return d.Root.Get(name).Raw(), nil
}
