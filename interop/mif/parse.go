package mif

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// Errors of documents.
var (
	ErrNotMIF    = errors.New("not a MIF document")
	ErrVersion   = errors.New("unsupported mif_version")
	ErrUnsafe    = errors.New("the YAML uses what a safe document does not have")
	ErrEncrypted = errors.New("the document is encrypted, and MIF does not say with which parameters")
)

// Limits in bytes: of a document, and of what is held in memory of it at once: a record, or all
// that is no record.
const (
	MaxDocument = 64 << 30
	MaxRecord   = 512 << 20
)

// Form is how a document is written.
type Form string

// The forms.
const (
	JSON  Form = "JSON"
	Lines Form = "JSON Lines"
	YAML  Form = "YAML"
)

// Document is an open MIF document. Its records are read when they are asked for.
type Document struct {
	Form    Form
	Version string
	// Root is the document as one JSON object, its lists of records without elements.
	Root     jsonscan.Node
	Checksum Checksum
	// Digest is the SHA-256 of the text that was read, without its byte order mark.
	Digest string

	in   io.ReaderAt
	size int64
	// lists are the places of the lists of a document that is one object.
	lists map[string]section
	// parts are the places of all members of the root and of the graph, by their names.
	parts []section
	graph []section
	// counts are how many records a list has, as far as they were counted.
	counts map[string]int64
	// linesDigest is that of the lines before the footer.
	linesDigest string
	close       func() error
}

// IsV2 tells whether the document is of version 2.
func (d *Document) IsV2() bool { return strings.HasPrefix(d.Version, "2.") }

// Close closes the file of a document.
func (d *Document) Close() error { return d.close() }

// Parse reads the document of a text.
func Parse(src []byte) (*Document, error) { return New(bytes.NewReader(src), int64(len(src))) }

// New reads the document of a text of size bytes, and reads it again when its records are asked
// for. It recognizes the format by content: what is none gives an error that wraps [ErrNotMIF], an
// unknown major version [ErrVersion].
func New(in io.ReaderAt, size int64) (*Document, error) {
	if size > MaxDocument {
		return nil, fmt.Errorf("read MIF: %w: it is larger than %d bytes", ErrNotMIF, int64(MaxDocument))
	}
	d := &Document{Form: JSON, in: in, size: size, lists: map[string]section{}, counts: map[string]int64{}, close: func() error { return nil }}
	mark := make([]byte, 3)
	if n, _ := in.ReadAt(mark, 0); n == 3 && string(mark) == "\ufeff" {
		d.in, d.size = io.NewSectionReader(in, 3, size-3), size-3
	}
	var err error
	if d.Digest, err = digestAt(d.in, d.size); err != nil {
		return nil, fmt.Errorf("read MIF: %w", err)
	}
	footer := ""
	root, err := d.readRoot()
	switch {
	case err == nil:
	case d.looksLikeLines():
		d.Form = Lines
		root, footer, err = d.readLines()
	case errors.Is(err, errSections):
		d.Form = YAML
		root, err = d.readYAML()
	}
	if err != nil {
		return nil, fmt.Errorf("read MIF: %w", err)
	}
	parsed, err := jsonscan.Parse(root, 0)
	if err != nil {
		return nil, fmt.Errorf("read MIF: %w: %w", ErrNotMIF, err)
	}
	d.Root = parsed.Root()
	if err := d.checkRoot(); err != nil {
		return nil, fmt.Errorf("read MIF: %w", err)
	}
	if d.Checksum, err = d.checksum(footer); err != nil {
		return nil, fmt.Errorf("read MIF: %w", err)
	}
	return d, nil
}

func digestAt(in io.ReaderAt, size int64) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, io.NewSectionReader(in, 0, size))
	return hex.EncodeToString(h.Sum(nil)), err
}

// checkRoot checks the mark of the format and its version.
func (d *Document) checkRoot() error {
	root := d.Root
	d.Version = root.Get("mif_version").Str()
	if root.Kind() != jsonscan.Object || d.Version == "" || root.Get("export").Kind() != jsonscan.Object && root.Get("export_meta").Kind() != jsonscan.Object && !root.Get("encryption").Exists() {
		return fmt.Errorf("%w: it has no mif_version with export or export_meta", ErrNotMIF)
	}
	if root.Odd() {
		return fmt.Errorf("%w: it has a duplicate key, half a surrogate pair or bytes that are not UTF-8", ErrNotMIF)
	}
	if major, _, _ := strings.Cut(d.Version, "."); major != "1" && major != "2" {
		return fmt.Errorf("%w %q: this program reads 1.x and 2.x", ErrVersion, d.Version)
	}
	return nil
}

// readRoot finds the members of a document that is one object, and gives its text without records.
func (d *Document) readRoot() (text []byte, err error) {
	if d.parts, err = sectionsOf(d.in, 0, d.size); err != nil {
		return nil, err
	}
	if len(d.parts) > 0 && d.parts[0].name == "type" && d.looksLikeLines() {
		return nil, errSections // a document of lines that has a header alone
	}
	return d.withoutRecords(d.parts, "", lists)
}

// withoutRecords writes an object without the elements of its lists, and notes where these are.
func (d *Document) withoutRecords(parts []section, path string, names []string) (text []byte, err error) {
	text = []byte{'{'}
	for i, s := range parts {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(appendString(text, s.name), ':')
		switch first := d.byteAt(s.start); {
		case slices.Contains(names, path+s.name) && first == '[':
			d.lists[path+s.name] = s
			text = append(text, "[]"...)
		case path == "" && s.name == "graph" && first == '{':
			if d.graph, err = sectionsOf(d.in, s.start, s.end); err != nil {
				return nil, fmt.Errorf("%w: graph: %w", ErrNotMIF, err)
			}
			inner, err := d.withoutRecords(d.graph, "graph/", lists)
			if err != nil {
				return nil, err
			}
			text = append(text, inner...)
		default:
			value, err := readSection(d.in, s)
			if err != nil {
				return nil, err
			}
			if text = append(text, value...); len(text) > MaxRecord {
				return nil, fmt.Errorf("%w: more than %d bytes are no records", ErrNotMIF, MaxRecord)
			}
		}
	}
	return append(text, '}'), nil
}

func (d *Document) byteAt(at int64) byte {
	var b [1]byte
	_, _ = d.in.ReadAt(b[:], at) // nothing there is not what a value begins with
	return b[0]
}

func (d *Document) readYAML() ([]byte, error) {
	if d.size > maxYAML {
		return nil, fmt.Errorf("%w: neither JSON, nor YAML of at most %d bytes", ErrNotMIF, maxYAML)
	}
	src := make([]byte, d.size)
	if _, err := d.in.ReadAt(src, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	text, err := yamlToJSON(src)
	if err != nil {
		return nil, err
	}
	d.in, d.size = bytes.NewReader(text), int64(len(text))
	root, err := d.readRoot()
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrNotMIF, err)
	}
	return root, err
}
