package mem

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// ErrMalformed is wrapped when a record does not have the form of its kind.
var ErrMalformed = errors.New("malformed record")

// Record is one line of a stream.
type Record struct {
	// Kind is the record kind, foreign ones included.
	Kind string
	// Line is the text without its line feed; valid until the next record is read.
	Line []byte
	// Number counts the records of the stream from 0.
	Number int
	// Offset is where the line starts in its file, in bytes.
	Offset int64
}

// checkRecord parses a line and checks it against its kind. A foreign line (k is nil) may hold
// anything but invalid JSON text: it is kept as it is.
func checkRecord(k *kind, line []byte) (*jsonscan.Doc, error) {
	d, err := jsonscan.Parse(line, 0)
	if err != nil {
		if k == nil {
			return nil, nil //nolint:nilerr // a foreign line has the form that its vendor gave it
		}
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if k == nil {
		return d, nil
	}
	root := d.Root()
	if root.Kind() != jsonscan.Object {
		return nil, fmt.Errorf("%w: it is not an object", ErrMalformed)
	}
	if root.Odd() {
		return nil, fmt.Errorf("%w: it has a duplicate key, half a surrogate pair or bytes that are not UTF-8", ErrMalformed)
	}
	if _, err := appendValue(nil, root); err != nil {
		return nil, err
	}
	for _, f := range k.fields {
		v := root.Get(f.name)
		if !v.Exists() || v.IsNull() {
			if f.optional {
				continue
			}
			return nil, fmt.Errorf("%w: %s is missing", ErrMalformed, f.name)
		}
		if !hasForm(v, f.form) {
			return nil, fmt.Errorf("%w: %s has the wrong type", ErrMalformed, f.name)
		}
	}
	if k.name == Tombstone {
		if op := root.Get("op").Str(); op != "delete" && op != "redact" {
			return nil, fmt.Errorf("%w: op is neither delete nor redact", ErrMalformed)
		}
	}
	return d, nil
}

func hasForm(v jsonscan.Node, f form) bool {
	switch f {
	case text:
		return v.Kind() == jsonscan.String
	case moment:
		_, err := ParseTime(v.Str())
		return v.Kind() == jsonscan.String && err == nil
	case number:
		return v.Kind() == jsonscan.Number
	case integer:
		n, err := appendNumber(nil, string(v.Raw()))
		return v.Kind() == jsonscan.Number && err == nil && !strings.ContainsAny(string(n), ".e-")
	case truth:
		return v.Kind() == jsonscan.Bool
	case texts:
		return v.Kind() == jsonscan.Array && !slices.ContainsFunc(slices.Collect(v.Items()), isNoText)
	case dict:
		for _, value := range v.Fields() {
			if isNoText(value) {
				return false
			}
		}
		return v.Kind() == jsonscan.Object
	default:
		return fitsReach(v)
	}
}

func fitsReach(v jsonscan.Node) bool {
	for _, r := range reaches {
		if !hasForm(v.Get(r.field), texts) {
			return false
		}
	}
	return hasForm(v.Get("episodeLinkCount"), integer)
}

func isNoText(n jsonscan.Node) bool { return n.Kind() != jsonscan.String }

// keyOf is what tells rows of a kind apart: the id, or the natural key of kinds without one.
// Foreign rows without an id have none.
func keyOf(k *kind, d *jsonscan.Doc) string {
	if d == nil {
		return ""
	}
	if k == nil {
		return d.Root().Get("id").Str()
	}
	return joinKey(d.Root(), k.key)
}

func joinKey(n jsonscan.Node, fields []string) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = n.Get(f).Str()
	}
	return strings.Join(parts, "\x00")
}
