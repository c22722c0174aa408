package archive

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// zipEnd is what the end of a zip says about its directory. Offsets count from the start of the
// source.
type zipEnd struct {
	start, size int64 // of the directory
	count       uint64
	base        int64 // what comes before the zip: every offset inside it is that much too small
}

const (
	endLength     = 22
	end64Length   = 56
	locatorLength = 20
	maxComment    = 1<<16 - 1
)

var (
	magicLocal   = []byte("PK\x03\x04")
	magicEntry   = []byte("PK\x01\x02")
	magicEnd     = []byte("PK\x05\x06")
	magicEnd64   = []byte("PK\x06\x06")
	magicLocator = []byte("PK\x06\x07")
)

func isZipMagic(head []byte) bool {
	return bytes.HasPrefix(head, magicLocal) || bytes.HasPrefix(head, magicEnd) ||
		bytes.HasPrefix(head, []byte("PK00PK\x03\x04")) // a volume set that turned out to need one volume
}

func splitError(at place) *Error {
	return &Error{Code: CodeSplit, Archive: at.label, Reason: "it is one volume of a split archive",
		Hint: "join the volumes (.z01, .z02, …, .zip) with the program that made them, then import the result"}
}

// findEnd reads the last 64 KiB once and looks for the end record, the last one that fits. There is
// none: *Error with code truncated.
func findEnd(src Source, at place) (zipEnd, error) {
	n := min(src.Size(), end64Length+locatorLength+endLength+maxComment)
	tailAt := src.Size() - n
	tail := make([]byte, n)
	if got, err := src.ReadAt(tail, tailAt); int64(got) < n {
		return zipEnd{}, fmt.Errorf("read end of %q: %w", at.label, err)
	}
	missing := &Error{Code: CodeTruncated, Archive: at.label, Offset: src.Size(),
		Reason: "the directory at the end of the zip is missing", Hint: hintDownload}
	for end := len(tail); end >= endLength; {
		i := bytes.LastIndex(tail[:end], magicEnd)
		if i < 0 {
			break
		}
		end = i + len(magicEnd) - 1
		if i+endLength > len(tail) || i+endLength+int(binary.LittleEndian.Uint16(tail[i+20:])) > len(tail) {
			continue
		}
		e, ok, err := parseEnd(src, at, tail, tailAt, i)
		if err != nil {
			return zipEnd{}, err
		}
		if ok {
			return e, nil
		}
	}
	return zipEnd{}, missing
}

// parseEnd reads the end record at tail[i:] and its 64 bit form, if any. It is not ok when the
// directory it names cannot be one: such a record is a coincidence in somebody's data, or in a
// comment.
func parseEnd(src Source, at place, tail []byte, tailAt int64, i int) (e zipEnd, ok bool, err error) {
	le := binary.LittleEndian
	r := tail[i:]
	disk, dirDisk, here := uint32(le.Uint16(r[4:])), uint32(le.Uint16(r[6:])), uint64(le.Uint16(r[8:]))
	count, size, offset := uint64(le.Uint16(r[10:])), uint64(le.Uint32(r[12:])), uint64(le.Uint32(r[16:]))
	endAt := tailAt + int64(i)
	if i >= locatorLength && bytes.HasPrefix(tail[i-locatorLength:], magicLocator) {
		at64, r64, err := findEnd64(src, at, tail, tailAt, i)
		if err != nil {
			return zipEnd{}, false, err
		}
		if r64 != nil {
			endAt = at64
			disk, dirDisk = le.Uint32(r64[16:]), le.Uint32(r64[20:])
			here, count, size, offset = le.Uint64(r64[24:]), le.Uint64(r64[32:]), le.Uint64(r64[40:]), le.Uint64(r64[48:])
		}
	}
	if size > uint64(endAt) || offset > uint64(src.Size()) {
		return zipEnd{}, false, nil
	}
	e = zipEnd{start: endAt - int64(size), size: int64(size), count: count}
	e.base = e.start - int64(offset)
	if disk != dirDisk || disk != 0 && disk != 0xFFFF {
		return zipEnd{}, false, splitError(at)
	}
	if here != count {
		return zipEnd{}, false, nil
	}
	// Something between directory and end record, a signature for instance, looks like a prefix:
	// see where the directory is.
	for _, base := range []int64{e.base, 0} {
		start := base + int64(offset)
		if start < 0 || start+e.size > endAt {
			continue
		}
		if size == 0 && count == 0 {
			return e, true, nil
		}
		var sig [4]byte
		if _, err := src.ReadAt(sig[:], start); err != nil {
			return zipEnd{}, false, fmt.Errorf("read directory of %q: %w", at.label, err)
		}
		if bytes.Equal(sig[:], magicEntry) {
			e.start, e.base = start, base
			return e, true, nil
		}
	}
	return zipEnd{}, false, nil
}

// findEnd64 reads the 64 bit end record that the locator before tail[i] names; nil if there is
// none. It is looked for right before the locator first, for the offset is wrong in a zip that has
// something before it.
func findEnd64(src Source, at place, tail []byte, tailAt int64, i int) (int64, []byte, error) {
	if j := i - locatorLength - end64Length; j >= 0 && bytes.HasPrefix(tail[j:], magicEnd64) {
		return tailAt + int64(j), tail[j : j+end64Length], nil
	}
	offset := binary.LittleEndian.Uint64(tail[i-locatorLength+8:])
	if offset > uint64(max(src.Size()-end64Length, 0)) {
		return 0, nil, nil
	}
	r := make([]byte, end64Length)
	if n, err := src.ReadAt(r, int64(offset)); n < len(r) {
		return 0, nil, fmt.Errorf("read end of %q: %w", at.label, err)
	}
	if !bytes.HasPrefix(r, magicEnd64) {
		return 0, nil, nil
	}
	return int64(offset), r, nil
}
