package pamio

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
)

// ConversationFile is one entry of the index with its document.
type ConversationFile struct {
	Entry *IndexEntry
	// Raw is the text of the file, valid until the next one; nil when the entry names no file.
	Raw []byte
}

// errStop ends a reading from inside; it is never returned to a caller.
var errStop = errors.New("stop")

// Conversations gives the entries of conversations_index in their order, each with the text of its
// file. maxValue bounds an entry and a file in bytes; 0 is DefaultMaxElement, below 0 is no limit.
// A file that is missing, unsafe to open or too big gives its entry with the error, and the
// iteration goes on; a fault of the store itself comes with a nil Entry and ends it.
func (b *Bundle) Conversations(maxValue int64) iter.Seq2[ConversationFile, error] {
	return func(yield func(ConversationFile, error) bool) {
		store, err := b.OpenStore()
		if err != nil {
			yield(ConversationFile{}, err)
			return
		}
		defer store.Close()
		var buf []byte
		err = ReadStore(store, Visitor{MaxValue: maxValue, IndexEntry: func(e Element) error {
			entry, err := ParseIndexEntry(e.Raw)
			if err != nil {
				return fmt.Errorf("%s: %w", e.Pointer, err)
			}
			file := ConversationFile{Entry: entry}
			if s := entry.Storage; s != nil && s.Type == "file" {
				buf, err = b.ReadFile(buf, s.Ref, maxValue)
				file.Raw = buf
				if err != nil {
					file.Raw, err = nil, fmt.Errorf("%s: %w", e.Pointer, err)
				}
			}
			if !yield(file, err) {
				return errStop
			}
			return nil
		}})
		if err != nil && !errors.Is(err, errStop) {
			yield(ConversationFile{}, err)
		}
	}
}

// ReadFile appends the bytes of a referenced file to dst[:0], with the errors of [Bundle.Open]. A
// file beyond maxValue bytes (0: DefaultMaxElement, below 0: no limit) gives an error that wraps
// [ErrElementTooBig]; content that is not what the name of the file says, one that wraps
// [ErrNameDigest].
func (b *Bundle) ReadFile(dst []byte, ref string, maxValue int64) ([]byte, error) {
	if maxValue == 0 {
		maxValue = DefaultMaxElement
	}
	f, err := b.Open(ref)
	if err != nil {
		return dst[:0], err
	}
	defer f.Close()
	r := VerifyName(path.Clean(ref), f)
	if maxValue > 0 {
		r = io.LimitReader(r, maxValue+1)
	}
	if info, err := f.Stat(); err == nil && info.Size() >= 0 && info.Size() < maxHint {
		dst = slices.Grow(dst[:0], int(info.Size())+1) // one more, so that the end is found without growing
	}
	dst, err = readAll(dst[:0], r)
	if err != nil {
		return dst, fmt.Errorf("read referenced file: %w", err)
	}
	if maxValue > 0 && int64(len(dst)) > maxValue {
		return dst[:0], fmt.Errorf("read referenced file: %w of %d bytes", ErrElementTooBig, maxValue)
	}
	return dst, nil
}

// maxHint is how large a file may claim to be for its size to be believed before it is read.
const maxHint = 16 << 20

func readAll(dst []byte, r io.Reader) ([]byte, error) {
	for {
		if len(dst) == cap(dst) {
			dst = append(dst, 0)[:len(dst)]
		}
		n, err := r.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		if errors.Is(err, io.EOF) {
			return dst, nil
		}
		if err != nil {
			return dst, err
		}
	}
}
