package mif

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// listsOfLines are the lists that the lines of a document belong to, by type.
var listsOfLines = map[string]string{"memory": Memories, "todo": Todos, "graph_edge": Edges}

// headOfLines is how much of a text its first line is looked for in.
const headOfLines = 1 << 20

func (d *Document) looksLikeLines() bool {
	head := make([]byte, min(d.size, headOfLines))
	n, _ := d.in.ReadAt(head, 0) // what cannot be read does not look like it
	first, _, _ := bytes.Cut(head[:n], []byte{'\n'})
	parsed, err := jsonscan.Parse(first, 0)
	return err == nil && parsed.Root().Get("type").Is("header") && parsed.Root().Get("mif_version").Exists()
}

// line is a line of a document, without white space around it.
type line struct {
	text []byte
	// at counts from 1; start is its offset.
	at    int
	start int64
}

// eachLine gives the lines that are not empty. Their text is valid until the next.
func (d *Document) eachLine() iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		in := bufio.NewReaderSize(io.NewSectionReader(d.in, 0, d.size), 256<<10)
		var buf []byte
		l := line{}
		for end := int64(0); ; {
			l.at++
			l.start, buf = end, buf[:0]
			for {
				part, err := in.ReadSlice('\n')
				end += int64(len(part))
				if buf = append(buf, part...); len(buf) > MaxRecord {
					yield(l, fmt.Errorf("line %d: %w: it has more than %d bytes", l.at, ErrNotMIF, MaxRecord))
					return
				}
				if err == nil || errors.Is(err, io.EOF) {
					break
				}
				if !errors.Is(err, bufio.ErrBufferFull) {
					yield(l, err)
					return
				}
			}
			if len(buf) == 0 {
				return
			}
			if l.text = bytes.TrimSpace(buf); len(l.text) > 0 && !yield(l, nil) {
				return
			}
		}
	}
}

// readLines checks the lines of a document, and gives its root and the checksum of its footer.
func (d *Document) readLines() (root []byte, footer string, err error) {
	sum := sha256.New()
	hashed, ended := int64(0), false
	var header, counts []byte
	var doc jsonscan.Doc
	for l, err := range d.eachLine() {
		if err != nil {
			return nil, "", err
		}
		if err := doc.Parse(l.text, 0); err != nil {
			return nil, "", fmt.Errorf("line %d: %w: %w", l.at, ErrNotMIF, err)
		}
		n := doc.Root()
		kind := n.Get("type").Str()
		switch {
		case n.Odd():
			return nil, "", fmt.Errorf("line %d: %w: it has a duplicate key, half a surrogate pair or bytes that are not UTF-8", l.at, ErrNotMIF)
		case ended:
			return nil, "", fmt.Errorf("line %d: %w: there is something behind the footer", l.at, ErrNotMIF)
		case kind == "header" && header == nil:
			for k, v := range n.Fields() {
				if !k.Is("type") {
					header = append(append(append(append(header, ','), k.Raw()...), ':'), v.Raw()...)
				}
			}
		case kind == "footer":
			ended, hashed = true, l.start
			footer, counts = n.Get("checksum").Str(), bytes.Clone(n.Get("counts").Raw())
		case n.Get("data").Exists():
			d.counts[listsOfLines[kind]]++
		default:
			return nil, "", fmt.Errorf("line %d: %w: a line has no data", l.at, ErrNotMIF)
		}
	}
	if !ended {
		return nil, "", fmt.Errorf("%w: the footer is missing, so the document may be cut off", ErrNotMIF)
	}
	if err := d.checkCounts(counts); err != nil {
		return nil, "", err
	}
	if _, err := io.Copy(sum, io.NewSectionReader(d.in, 0, hashed)); err != nil {
		return nil, "", err
	}
	d.linesDigest = hex.EncodeToString(sum.Sum(nil))
	root = append([]byte{'{'}, bytes.TrimPrefix(header, []byte{','})...)
	root = append(root, `,"memories":[]`...)
	if d.counts[Todos] > 0 {
		root = append(root, `,"todos":[]`...)
	}
	if d.counts[Edges] > 0 {
		root = append(root, `,"graph":{"format":"adjacency_list","edges":[]}`...)
	}
	return append(root, '}'), footer, nil
}

// checkCounts compares the counts of a footer with the lines.
func (d *Document) checkCounts(text []byte) error {
	if text == nil {
		return nil
	}
	counts, err := jsonscan.Parse(text, 0)
	if err != nil {
		return err
	}
	for k, v := range counts.Root().Fields() {
		list := map[string]string{"memories": Memories, "todos": Todos, "graph_edges": Edges}[k.Str()]
		if n := d.counts[list]; list != "" && string(v.Raw()) != strconv.FormatInt(n, 10) {
			return fmt.Errorf("%w: the footer counts %s of %s, and there are %d", ErrNotMIF, v.Raw(), k.Str(), n)
		}
	}
	return nil
}

// lineRecords gives the records of a list of a document of lines.
func (d *Document) lineRecords(list string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		var doc jsonscan.Doc
		i := 0
		for l, err := range d.eachLine() {
			if err == nil {
				err = doc.Parse(l.text, 0)
			}
			if err != nil {
				yield(Record{}, fmt.Errorf("read %s: %w", list, err))
				return
			}
			data := doc.Root().Get("data")
			if listsOfLines[doc.Root().Get("type").Str()] != list || !data.Exists() {
				continue
			}
			if !yield(Record{Node: data, Index: i}, nil) {
				return
			}
			i++
		}
	}
}
