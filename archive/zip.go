package archive

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"unicode/utf8"
)

// zipEntry is one record of a zip's directory. Offsets count from the start of the source.
type zipEntry struct {
	name          string
	offset        int64 // of the local header
	size, csize   int64
	crc           uint32
	method, flags uint16
	link          bool
	bad           *zipFault
}

// zipFault is why an entry cannot be read, before it has a place.
type zipFault struct {
	code         Code
	reason, hint string
}

const (
	flagEncrypted  = 1 << 0
	flagDescriptor = 1 << 3
	flagUTF8       = 1 << 11
	flagMasked     = 1 << 13

	entryLength  = 46
	headerLength = 30
	// directoryBuffer is the size of one read of a directory: 20,000 members take two.
	directoryBuffer = 1 << 20
)

// zip opens a zip by its directory, or salvages it without.
func (b *builder) zip(src Source, at place) error {
	end, err := findEnd(src, at)
	var bad *Error
	if errors.As(err, &bad) && bad.Code == CodeTruncated {
		return b.salvage(src, at, bad)
	}
	if err != nil {
		return err
	}
	return b.zipDirectory(src, at, end)
}

func (b *builder) zipDirectory(src Source, at place, end zipEnd) error {
	if end.count > uint64(b.sh.limits.MaxMembers) && end.size/entryLength > int64(b.sh.limits.MaxMembers) {
		return b.tooMany(at)
	}
	entries, err := b.readDirectory(src, at, end)
	var bad *Error
	if errors.As(err, &bad) && bad.Code == CodeCorrupt {
		return b.salvage(src, at, bad)
	}
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return &Error{Code: CodeEmpty, Archive: at.label, Reason: "the zip has no files in it", Hint: "download the export again"}
	}
	if err := markOverlaps(src, entries, end.start); err != nil {
		return fmt.Errorf("read headers of %q: %w", at.label, err)
	}
	for i := range entries {
		if err := b.addZip(src, at, &entries[i], end.start); err != nil {
			return err
		}
	}
	return nil
}

// readDirectory reads the directory in a few large reads.
func (b *builder) readDirectory(src Source, at place, end zipEnd) ([]zipEntry, error) {
	r := bufio.NewReaderSize(io.NewSectionReader(src, end.start, end.size), int(min(end.size, directoryBuffer)))
	corrupt := func(reason string) error {
		return &Error{Code: CodeCorrupt, Archive: at.label, Offset: end.start, Reason: reason, Hint: hintDownload}
	}
	var entries []zipEntry
	var fixed [entryLength]byte
	var rest []byte
	for read := int64(0); end.size-read >= entryLength; {
		if err := b.ctx.Err(); err != nil {
			return nil, err
		}
		if _, err := io.ReadFull(r, fixed[:]); err != nil {
			return nil, fmt.Errorf("read directory of %q: %w", at.label, err)
		}
		if !bytes.HasPrefix(fixed[:], magicEntry) {
			break // a signature of the directory, or the end came early: the count tells
		}
		le := binary.LittleEndian
		nameLen, extraLen, commentLen := int(le.Uint16(fixed[28:])), int(le.Uint16(fixed[30:])), int(le.Uint16(fixed[32:]))
		n := nameLen + extraLen + commentLen
		if read += entryLength + int64(n); read > end.size {
			return nil, corrupt("its directory is damaged")
		}
		rest = slices.Grow(rest[:0], n)[:n]
		if _, err := io.ReadFull(r, rest); err != nil {
			return nil, fmt.Errorf("read directory of %q: %w", at.label, err)
		}
		if len(entries) >= b.sh.limits.MaxMembers {
			return nil, b.tooMany(at)
		}
		entries = append(entries, parseEntry(fixed[:], rest[:nameLen], rest[nameLen:nameLen+extraLen], end.base))
	}
	// Writers without the 64 bit form let the count run over.
	if uint16(len(entries)) != uint16(end.count) {
		return nil, corrupt(fmt.Sprintf("its directory has %d readable entries where it says %d", len(entries), end.count))
	}
	return entries, nil
}

func parseEntry(fixed, name, extra []byte, base int64) zipEntry {
	le := binary.LittleEndian
	e := zipEntry{flags: le.Uint16(fixed[8:]), method: le.Uint16(fixed[10:]), crc: le.Uint32(fixed[16:])}
	csize, size, offset := uint64(le.Uint32(fixed[20:])), uint64(le.Uint32(fixed[24:])), uint64(le.Uint32(fixed[42:]))
	e.name = zipName(name, extra, e.flags)
	whole := size64(extra, &size, &csize, &offset)
	const most = math.MaxInt64 / 4
	if !whole || size > most || csize > most || offset > most {
		e.bad = &zipFault{CodeCorrupt, "its sizes make no sense", hintDownload}
		size, csize, offset = 0, 0, min(offset, most)
	}
	e.size, e.csize, e.offset = int64(size), int64(csize), int64(offset)+base
	if e.offset < 0 {
		e.bad, e.offset = &zipFault{CodeTruncated, "it lies in the missing beginning of the archive", hintDownload}, 0
	}
	const unix, formatMask, symlink = 3, 0xF000, 0xA000
	e.link = fixed[5] == unix && le.Uint32(fixed[38:])>>16&formatMask == symlink
	if e.bad == nil {
		e.bad = unreadable(e.method, e.flags, e.size, e.csize)
	}
	return e
}

// size64 replaces the values that do not fit 32 bits with those of the 64 bit extra field. whole is
// false if one of them is missing there. A local header has no offset: nil.
func size64(extra []byte, size, csize, offset *uint64) (whole bool) {
	const id, absent = 0x0001, math.MaxUint32
	want := make([]*uint64, 0, 3)
	for _, v := range []*uint64{size, csize, offset} {
		if v != nil && *v == absent {
			want = append(want, v)
		}
	}
	if len(want) == 0 {
		return true
	}
	field, ok := extraField(extra, id)
	if !ok || len(field) < 8*len(want) {
		return false
	}
	for i, v := range want {
		*v = binary.LittleEndian.Uint64(field[8*i:])
	}
	return true
}

func extraField(extra []byte, id uint16) ([]byte, bool) {
	for len(extra) >= 4 {
		tag, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[4:]; n > len(extra) {
			return nil, false
		}
		if tag == id {
			return extra[:n], true
		}
		extra = extra[n:]
	}
	return nil, false
}

// zipName prefers the name that some writers put beside one in an old code page, if it belongs to
// it.
func zipName(name, extra []byte, flags uint16) string {
	const unicodePath = 0x7075
	if flags&flagUTF8 == 0 {
		if f, ok := extraField(extra, unicodePath); ok && len(f) > 5 && f[0] == 1 &&
			binary.LittleEndian.Uint32(f[1:]) == crc32.ChecksumIEEE(name) && utf8.Valid(f[5:]) {
			return string(f[5:])
		}
	}
	return string(name)
}
