package archive

import (
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// salvage reads a zip without a usable directory: it walks the local headers from the start and
// takes in what it finds, up to the first header that is none. The last member may be cut; it is
// readable as far as it goes. why is what is wrong with the directory, and the result when there is
// nothing to salvage.
func (b *builder) salvage(src Source, at place, why *Error) error {
	found := 0
	for offset := firstHeader(src); ; {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		z, data, err := localHeader(src, at, offset)
		if err != nil {
			return err
		}
		if z == nil {
			break
		}
		end, err := b.salvageExtent(src, z, data)
		if err != nil {
			return err
		}
		cut := end > src.Size() || end < 0
		if err := b.addSalvaged(src, at, z, data, cut); err != nil {
			return err
		}
		found++
		if cut || end <= offset {
			break
		}
		offset = end
	}
	if found == 0 {
		return why
	}
	if b.a.Truncated == nil {
		b.a.Truncated = why
	}
	return nil
}

func firstHeader(src Source) int64 {
	var head [8]byte
	// A short read leaves zeros, which are no header.
	_, _ = src.ReadAt(head[:], 0)
	if bytes.HasPrefix(head[:], []byte("PK00PK")) {
		return 4
	}
	return 0
}

// localHeader reads the header at offset and where its data starts; nil if there is none that is
// whole.
func localHeader(src Source, at place, offset int64) (*zipEntry, int64, error) {
	read := func(n int, from int64) ([]byte, error) {
		if from+int64(n) > src.Size() {
			return nil, nil
		}
		p := make([]byte, n)
		if got, err := src.ReadAt(p, from); got < n {
			return nil, fmt.Errorf("read header at byte %d of archive %q: %w", from, at.label, err)
		}
		return p, nil
	}
	h, err := read(headerLength, offset)
	if h == nil || err != nil || !bytes.HasPrefix(h, magicLocal) {
		return nil, 0, err
	}
	le := binary.LittleEndian
	nameLen, extraLen := int(le.Uint16(h[26:])), int(le.Uint16(h[28:]))
	names, err := read(nameLen+extraLen, offset+headerLength)
	if names == nil || err != nil {
		return nil, 0, err
	}
	extra := names[nameLen:]
	z := &zipEntry{offset: offset, flags: le.Uint16(h[6:]), method: le.Uint16(h[8:]), crc: le.Uint32(h[14:])}
	z.name = zipName(names[:nameLen], extra, z.flags)
	csize, size := uint64(le.Uint32(h[18:])), uint64(le.Uint32(h[22:]))
	if z.flags&flagDescriptor != 0 {
		csize, size = 0, 0
	} else if !size64(extra, &size, &csize, nil) || size > 1<<60 || csize > 1<<60 {
		return nil, 0, nil
	}
	z.size, z.csize = int64(size), int64(csize)
	z.bad = unreadable(z.method, z.flags, z.size, z.csize)
	return z, offset + headerLength + int64(nameLen+extraLen), nil
}

// salvageExtent finds where a member ends, which is where the next header starts; -1 when that
// cannot be known. Sizes that stand behind the data are found by decompressing it.
func (b *builder) salvageExtent(src Source, z *zipEntry, data int64) (int64, error) {
	if z.flags&flagDescriptor == 0 {
		return data + z.csize, nil
	}
	z.size, z.csize = -1, src.Size()-data
	if z.method != methodDeflate || z.bad != nil {
		return -1, nil
	}
	in := &countedBytes{r: bufio.NewReaderSize(io.NewSectionReader(src, data, z.csize), inflateBuffer)}
	// The standard inflater takes from an io.ByteReader not one byte more than the stream has.
	out, err := drain(b.ctx, flate.NewReader(in), b.sh.limits.MaxMemberSize)
	if in.err != nil {
		return 0, fmt.Errorf("read archive at byte %d: %w", data+in.n, in.err)
	}
	if ctxErr := b.ctx.Err(); ctxErr != nil {
		return 0, ctxErr
	}
	if err != nil {
		return -1, nil // the reader of the member will meet the same end
	}
	end := data + in.n
	tail := make([]byte, min(src.Size()-end, 24+4))
	if n, err := src.ReadAt(tail, end); n < len(tail) {
		return 0, fmt.Errorf("read archive at byte %d: %w", end, err)
	}
	length, crc, ok := descriptor(tail)
	if !ok {
		return -1, nil
	}
	z.crc, z.size, z.csize = crc, out, in.n
	return end + length, nil
}

// descriptor tells the length of a data descriptor, which has four forms, by what must follow it.
func descriptor(tail []byte) (length int64, crc uint32, ok bool) {
	signed := bytes.HasPrefix(tail, []byte("PK\x07\x08"))
	for _, n := range []int{16, 24, 12, 20} {
		if (n%8 == 0) != signed || len(tail) < n {
			continue
		}
		after := tail[n:]
		if len(after) >= 4 && !bytes.HasPrefix(after, magicLocal) && !bytes.HasPrefix(after, magicEntry) &&
			!bytes.HasPrefix(after, magicEnd) && !bytes.HasPrefix(after, magicEnd64) {
			continue
		}
		at := 0
		if signed {
			at = 4
		}
		return int64(n), binary.LittleEndian.Uint32(tail[at:]), true
	}
	return 0, 0, false
}

func (b *builder) addSalvaged(src Source, at place, z *zipEntry, data int64, cut bool) error {
	csize := min(z.csize, src.Size()-data)
	e := &entry{at: at, name: z.name, size: z.size, compressed: csize, offset: z.offset, crc: z.crc, hasCRC: z.size >= 0, cut: cut}
	if z.bad != nil {
		e.err = &Error{Code: z.bad.code, Archive: at.label, Offset: z.offset, Reason: z.bad.reason, Hint: z.bad.hint}
		if name, reason := cleanName(z.name, b.sh.limits.MaxNameLength); reason == "" {
			e.err.Member = at.prefix + name
		}
	}
	if cut && z.size < 0 && z.method == methodStore && e.err == nil {
		e.err = &Error{Code: CodeTruncated, Archive: at.label, Offset: z.offset, Reason: "its end cannot be found without the directory", Hint: hintDownload}
	}
	method := z.method
	e.body = func(context.Context) (io.ReadCloser, error) {
		s := io.NewSectionReader(src, data, csize)
		if method == methodStore {
			return io.NopCloser(s), nil
		}
		return b.sh.inflate(s), nil
	}
	if method == methodStore && !cut {
		e.direct = func(context.Context) (Source, error) { return io.NewSectionReader(src, data, csize), nil }
	}
	return b.add(e)
}

// countedBytes counts what is taken from it, one byte or many.
type countedBytes struct {
	r   *bufio.Reader
	n   int64
	err error // of the source, not its end
}

func (c *countedBytes) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	c.note(err)
	return n, err
}

func (c *countedBytes) ReadByte() (byte, error) {
	v, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	c.note(err)
	return v, err
}

func (c *countedBytes) note(err error) {
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
}

var errTooMuch = errors.New("too much comes out")

// drain reads r to its end and counts the bytes.
func drain(ctx context.Context, r io.Reader, limit int64) (n int64, err error) {
	buf := make([]byte, 64<<10)
	for {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		k, err := r.Read(buf)
		n += int64(k)
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if n > limit {
			return n, errTooMuch
		}
	}
}
