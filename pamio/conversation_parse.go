package pamio

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/decoder"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// ErrNotPAM is wrapped when JSON is not the kind of PAM document that was asked for.
var ErrNotPAM = errors.New("not this kind of PAM document")

// ErrVersion is wrapped when a document has a major version other than 1.
var ErrVersion = errors.New("unsupported schema_version")

// ErrUnsafeJSON is wrapped when text has a meaning that readers disagree on: duplicate keys, half
// of a surrogate pair or bytes that are not UTF-8.
var ErrUnsafeJSON = errors.New("ambiguous JSON")

// decode fills structs from leaves: keys in their exact case, strings copied out of the input. It
// does not look for control characters and bad UTF-8 in strings: parseStrict has refused them
// before.
var decode = sonic.Config{CopyString: true, CaseSensitive: true, UseNumber: true}.Froze()

// ParseConversation reads a conversation document. Nulls, absent members and white space are
// accepted, members that PAM 1.0 does not know are passed over (PAM §22.3). Number lexemes in
// raw_metadata and tool inputs stay as they are. The result does not refer to data.
func ParseConversation(data []byte) (*Conversation, error) {
	return parseConversation(data, func(jsonscan.Node) {})
}

// parseConversation reads a conversation document, and shows its root to see.
func parseConversation(data []byte, see func(root jsonscan.Node)) (*Conversation, error) {
	c := &Conversation{}
	var schema, version string
	err := fillStrict(data, func(f *filler, root jsonscan.Node) {
		schema, version = f.conversation(c, root)
		see(root)
	})
	if err == nil {
		err = checkSchema(ConversationSchema, schema, version)
	}
	if err != nil {
		return nil, fmt.Errorf("parse conversation: %w", err)
	}
	return c, nil
}

// maxDepth is the nesting up to which documents are read and written: well beyond that of the
// values that sources are read to (jsonscan.DefaultMaxDepth), which come to lie deeper here, and
// below that of the decoder.
const maxDepth = 4 * jsonscan.DefaultMaxDepth

// docs are kept for their memory alone.
var docs = sync.Pool{New: func() any { return new(jsonscan.Doc) }}

// parseStrict decodes one JSON object into v after a strict pass over it: the decoder is lenient
// with text that it skips and replaces what is not Unicode without a word.
func parseStrict(data []byte, v any) error {
	var object []byte
	if err := readObject(data, func(root jsonscan.Node) error {
		object = root.Raw()
		return nil
	}); err != nil {
		return err
	}
	// Unmarshal would copy the text before it reads it, and of a large document that is half of
	// what reading it takes.
	text := unsafe.String(unsafe.SliceData(object), len(object)) //nolint:gosec // it is not changed meanwhile, and decode copies what it keeps
	if err := decode.UnmarshalFromString(text, v); err != nil {
		return located(err)
	}
	return nil
}

// fillStrict fills structs from the one object in data after a strict pass over it.
func fillStrict(data []byte, fill func(f *filler, root jsonscan.Node)) error {
	return readObject(data, func(root jsonscan.Node) error {
		var f filler
		fill(&f, root)
		return f.err()
	})
}

// readObject reads the one object in data strictly and calls use with it. What use keeps must not
// refer to the node.
func readObject(data []byte, use func(root jsonscan.Node) error) error {
	d := docs.Get().(*jsonscan.Doc)
	defer func() {
		d.Reset()
		docs.Put(d)
	}()
	if err := d.Parse(data, maxDepth); err != nil {
		return err
	}
	root := d.Root()
	if root.Odd() {
		return fmt.Errorf("%w: %s", ErrUnsafeJSON, oddReason(root.Flags()))
	}
	if root.Kind() != jsonscan.Object {
		return fmt.Errorf("%w: the value is not an object", ErrNotPAM)
	}
	return use(root)
}

// located makes an error out of the decoder's that does not quote the document, as the decoder's
// own does.
func located(err error) error {
	var m *decoder.MismatchTypeError
	if errors.As(err, &m) {
		return fmt.Errorf("%w: the value at byte %d has the wrong type", ErrNotPAM, m.Pos)
	}
	return fmt.Errorf("%w: a value has the wrong type", ErrNotPAM)
}

func checkSchema(want, schema, version string) error {
	if schema != want {
		return fmt.Errorf("%w: schema is not %q", ErrNotPAM, want)
	}
	if major, _, _ := strings.Cut(version, "."); major != "1" {
		return fmt.Errorf("%w: only 1.x can be read", ErrVersion)
	}
	return nil
}

func oddReason(f jsonscan.Flag) string {
	switch {
	case f&jsonscan.DuplicateKey != 0:
		return "an object has a key twice"
	case f&jsonscan.LoneSurrogate != 0:
		return `a \u escape names half of a surrogate pair`
	default:
		return "a string is not UTF-8"
	}
}
