package mif

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
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

// MaxDocument is the greatest size of a document in bytes.
const MaxDocument = 512 << 20

// Form is how a document is written.
type Form string

// The forms.
const (
	JSON  Form = "JSON"
	Lines Form = "JSON Lines"
	YAML  Form = "YAML"
)

// Document is a MIF document.
type Document struct {
	Form    Form
	Version string
	// Root is the document as one JSON object; a document of lines is put together to one.
	Root jsonscan.Node
	// Text is the text of Root.
	Text     []byte
	Checksum Checksum
}

// IsV2 tells whether the document is of version 2.
func (d *Document) IsV2() bool { return strings.HasPrefix(d.Version, "2.") }

// Parse reads a document. It recognizes the format by content: what is none gives an error that
// wraps [ErrNotMIF], an unknown major version [ErrVersion].
func Parse(src []byte) (*Document, error) {
	if len(src) > MaxDocument {
		return nil, fmt.Errorf("read MIF: %w: it is larger than %d bytes", ErrNotMIF, MaxDocument)
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	d := &Document{Form: JSON, Text: src}
	footer := ""
	if parsed, err := jsonscan.Parse(src, 0); err == nil {
		d.Root = parsed.Root()
	}
	if !d.Root.Exists() || d.Root.Get("type").Is("header") && d.Root.Get("mif_version").Exists() {
		var err error
		if looksLikeLines(src) {
			d.Form = Lines
			d.Text, footer, err = joinLines(src)
		} else {
			d.Form = YAML
			d.Text, err = yamlToJSON(src)
		}
		if err != nil {
			return nil, fmt.Errorf("read MIF: %w", err)
		}
		parsed, err := jsonscan.Parse(d.Text, 0)
		if err != nil {
			return nil, fmt.Errorf("read MIF: %w: %w", ErrNotMIF, err)
		}
		d.Root = parsed.Root()
	}
	root := d.Root
	d.Version = root.Get("mif_version").Str()
	if root.Kind() != jsonscan.Object || d.Version == "" || root.Get("export").Kind() != jsonscan.Object && root.Get("export_meta").Kind() != jsonscan.Object && !root.Get("encryption").Exists() {
		return nil, fmt.Errorf("read MIF: %w: it has no mif_version with export or export_meta", ErrNotMIF)
	}
	if root.Odd() {
		return nil, fmt.Errorf("read MIF: %w: it has a duplicate key, half a surrogate pair or bytes that are not UTF-8", ErrNotMIF)
	}
	if major, _, _ := strings.Cut(d.Version, "."); major != "1" && major != "2" {
		return nil, fmt.Errorf("read MIF: %w %q: this program reads 1.x and 2.x", ErrVersion, d.Version)
	}
	d.Checksum = checksumOf(d, src, footer)
	return d, nil
}

func looksLikeLines(src []byte) bool {
	first, _, _ := bytes.Cut(src, []byte{'\n'})
	parsed, err := jsonscan.Parse(first, 0)
	return err == nil && parsed.Root().Get("type").Is("header") && parsed.Root().Get("mif_version").Exists()
}

// joinLines puts the lines of a document together. footer is the checksum of the last line.
func joinLines(src []byte) (text []byte, footer string, err error) {
	var header []byte
	parts := map[string][]byte{}
	at, ended := 0, false
	for line := range bytes.Lines(src) {
		at++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		parsed, err := jsonscan.Parse(line, 0)
		if err != nil {
			return nil, "", fmt.Errorf("line %d: %w: %w", at, ErrNotMIF, err)
		}
		n := parsed.Root()
		kind := n.Get("type").Str()
		switch {
		case ended:
			return nil, "", fmt.Errorf("line %d: %w: there is something behind the footer", at, ErrNotMIF)
		case kind == "header" && header == nil:
			for k, v := range n.Fields() {
				if !k.Is("type") {
					header = append(append(append(append(header, ','), k.Raw()...), ':'), v.Raw()...)
				}
			}
		case kind == "footer":
			ended, footer = true, n.Get("checksum").Str()
			if err := checkCounts(n.Get("counts"), parts); err != nil {
				return nil, "", err
			}
		case n.Get("data").Exists():
			parts[kind] = append(append(parts[kind], ','), n.Get("data").Raw()...)
		default:
			return nil, "", fmt.Errorf("line %d: %w: a line has no data", at, ErrNotMIF)
		}
	}
	if !ended {
		return nil, "", fmt.Errorf("%w: the footer is missing, so the document may be cut off", ErrNotMIF)
	}
	text = append([]byte{'{'}, bytes.TrimPrefix(header, []byte{','})...)
	text = append(append(append(text, `,"memories":[`...), bytes.TrimPrefix(parts["memory"], []byte{','})...), ']')
	for kind, key := range map[string]string{"todo": "todos"} {
		if parts[kind] != nil {
			text = append(append(append(text, `,"`+key+`":[`...), parts[kind][1:]...), ']')
		}
	}
	if edges := parts["graph_edge"]; edges != nil {
		text = append(append(append(text, `,"graph":{"format":"adjacency_list","edges":[`...), edges[1:]...), "]}"...)
	}
	return append(text, '}'), footer, nil
}

// checkCounts compares the counts of a footer with the lines.
func checkCounts(counts jsonscan.Node, parts map[string][]byte) error {
	for k, v := range counts.Fields() {
		kind := map[string]string{"memories": "memory", "todos": "todo", "graph_edges": "graph_edge"}[k.Str()]
		if kind == "" {
			continue
		}
		n := 0
		if parts[kind] != nil {
			list, err := jsonscan.Parse(append([]byte{'['}, append(parts[kind][1:len(parts[kind]):len(parts[kind])], ']')...), 0)
			if err != nil {
				return err
			}
			n = list.Root().Len()
		}
		if string(v.Raw()) != strconv.Itoa(n) {
			return fmt.Errorf("%w: the footer counts %s of %s, and there are %d", ErrNotMIF, v.Raw(), k.Str(), n)
		}
	}
	return nil
}
