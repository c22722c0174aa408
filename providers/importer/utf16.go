package importer

import (
	"bufio"
	"bytes"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// wide tells whether a text is UTF-16, by its byte order mark or by a NUL beside its first
// character, which is ASCII in every format that is read.
func wide(head []byte) encoding.Encoding {
	switch {
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}) && !bytes.HasPrefix(head, []byte{0xFF, 0xFE, 0, 0}):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case len(head) >= 4 && head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case len(head) >= 4 && head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return nil
}

// UTF8 gives the text of a member as UTF-8 when it is UTF-16, and the member as it is when it is
// not. Offsets in what is read are those of the UTF-8 text. A lone surrogate becomes U+FFFD.
func UTF8(r io.Reader) io.Reader {
	size := 64 << 10
	if b, held := r.(*bytes.Reader); held {
		size = min(size, b.Len()) // the start of each of a million members is looked at
	}
	br := bufio.NewReaderSize(r, size)
	head, _ := br.Peek(4) // a shorter file is not UTF-16
	if e := wide(head); e != nil {
		return transform.NewReader(br, e.NewDecoder())
	}
	return br
}

// utf8Prefix is UTF8 for the first bytes of a member.
func utf8Prefix(prefix []byte) []byte {
	e := wide(prefix)
	if e == nil {
		return prefix
	}
	out, err := e.NewDecoder().Bytes(prefix[:len(prefix)&^1])
	if err != nil {
		return prefix
	}
	return out
}
