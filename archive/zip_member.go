package archive

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

const (
	methodStore   = 0
	methodDeflate = 8
)

// methodNames are the ways of compression that a zip may use and that are not read.
var methodNames = map[uint16]string{
	1: "shrink", 2: "reduce", 3: "reduce", 4: "reduce", 5: "reduce", 6: "implode", 9: "deflate64", 10: "PKWARE implode",
	12: "bzip2", 14: "LZMA", 16: "CMPSC", 18: "TERSE", 19: "LZ77", 20: "Zstandard (old)", 93: "Zstandard", 94: "MP3",
	95: "xz", 96: "JPEG", 97: "WavPack", 98: "PPMd", 99: "AES encryption",
}

// unreadable says why an entry cannot be read, by what its header says.
func unreadable(method, flags uint16, size, csize int64) *zipFault {
	switch {
	case flags&(flagEncrypted|flagMasked) != 0 || method == 99:
		return &zipFault{CodeEncrypted, "it is encrypted with a password", "unpack it with the password and import the folder"}
	case method == methodStore && size != csize:
		return &zipFault{CodeChecksum, "it is stored as it is, yet its two sizes differ", hintDownload}
	case method != methodStore && method != methodDeflate:
		name := methodNames[method]
		if name == "" {
			name = "unknown"
		}
		return &zipFault{CodeUnsupported, fmt.Sprintf("it is compressed by method %d (%s), which is not read", method, name), hintRepack}
	}
	return nil
}

// addZip adds an entry of a zip. limit is where member data must end.
func (b *builder) addZip(src Source, at place, z *zipEntry, limit int64) error {
	if z.link {
		b.leaveOut("link")
		return nil
	}
	e := &entry{at: at, name: z.name, size: z.size, compressed: z.csize, offset: z.offset, crc: z.crc, hasCRC: true}
	if z.bad != nil {
		e.err = &Error{Code: z.bad.code, Archive: at.label, Offset: z.offset, Reason: z.bad.reason, Hint: z.bad.hint}
		if name, reason := cleanName(z.name, b.sh.limits.MaxNameLength); reason == "" {
			e.err.Member = at.prefix + name
		}
	}
	method, csize := z.method, z.csize
	data := func() (*io.SectionReader, error) {
		start, err := dataOffset(src, e)
		if err != nil {
			return nil, err
		}
		if start+csize > limit {
			return nil, e.fail(CodeOverlap, "its data runs into the directory", hintDownload)
		}
		return io.NewSectionReader(src, start, csize), nil
	}
	e.body = func(context.Context) (io.ReadCloser, error) {
		s, err := data()
		if err != nil {
			return nil, err
		}
		if method == methodStore {
			return io.NopCloser(s), nil
		}
		return b.sh.inflate(s), nil
	}
	if method == methodStore {
		e.direct = func(context.Context) (Source, error) { return data() }
	}
	return b.add(e)
}

// dataOffset reads the local header: only it knows where the data starts.
func dataOffset(src Source, e *entry) (int64, error) {
	var h [headerLength]byte
	if e.offset+headerLength > src.Size() {
		return 0, e.fail(CodeTruncated, "the archive ends before it", hintDownload)
	}
	if n, err := src.ReadAt(h[:], e.offset); n < len(h) {
		return 0, fmt.Errorf("read header of member %q of archive %q: %w", e.name, e.at.label, err)
	}
	if !bytes.HasPrefix(h[:], magicLocal) {
		return 0, e.fail(CodeCorrupt, "there is no member where the directory says", hintDownload)
	}
	le := binary.LittleEndian
	if le.Uint16(h[6:])&flagEncrypted != 0 {
		return 0, e.fail(CodeEncrypted, "it is encrypted with a password", "unpack it with the password and import the folder")
	}
	return e.offset + headerLength + int64(le.Uint16(h[26:])) + int64(le.Uint16(h[28:])), nil
}

// inflateBuffer is how much of a big member is asked for at once.
const inflateBuffer = 128 << 10

// inflate decompresses one contiguous section.
func (sh *shared) inflate(s *io.SectionReader) io.ReadCloser {
	in := bufio.NewReaderSize(s, int(min(max(s.Size(), 16), inflateBuffer)))
	r, ok := sh.inflates.Get().(io.ReadCloser)
	if !ok {
		return &inflater{ReadCloser: flate.NewReader(in), pool: &sh.inflates}
	}
	// Reset of a flate reader always succeeds when there is no dictionary.
	_ = r.(flate.Resetter).Reset(in, nil)
	return &inflater{ReadCloser: r, pool: &sh.inflates}
}

// inflater gives its decompressor back for the next member when it is closed.
type inflater struct {
	io.ReadCloser
	pool *sync.Pool
}

func (i *inflater) Read(p []byte) (int, error) {
	if i.ReadCloser == nil {
		return 0, fmt.Errorf("read member: %w", io.ErrClosedPipe)
	}
	return i.ReadCloser.Read(p)
}

func (i *inflater) Close() error {
	if i.ReadCloser == nil {
		return nil
	}
	// Close repeats the error of a Read that was reported already.
	_ = i.ReadCloser.Close()
	i.pool.Put(i.ReadCloser)
	i.ReadCloser = nil
	return nil
}
