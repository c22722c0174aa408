package archive

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"testing"
)

// crafted is a zip member with every claim of it in the test's hands.
type crafted struct {
	name           string
	content        string
	deflate        bool
	descriptor     bool // sizes behind the data
	zip64          bool
	flags, method  uint16 // added to, or put in place of, what is right
	size, csize    int64  // lies, if not 0
	crc            uint32 // a lie, if not 0
	headerAt       int64  // a lie, if not 0; -1 for 0
	extra          []byte
	externalAttr   uint32
	directoryName  string // another name in the directory
	omitFromHeader bool   // no local header and no data at all
}

func deflated(t testing.TB, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// craft writes a zip as the members claim. body is the part before the directory.
func craft(t testing.TB, members ...crafted) (whole []byte, body int) {
	t.Helper()
	le := binary.LittleEndian
	var out, dir []byte
	for _, m := range members {
		data := []byte(m.content)
		method := uint16(methodStore)
		if m.deflate {
			data, method = deflated(t, m.content), methodDeflate
		}
		if m.method != 0 {
			method = m.method
		}
		flags := m.flags
		if m.descriptor {
			flags |= flagDescriptor
		}
		crc := crc32.ChecksumIEEE([]byte(m.content))
		if m.crc != 0 {
			crc = m.crc
		}
		size, csize, offset := uint64(len(m.content)), uint64(len(data)), uint64(len(out))
		if m.size != 0 {
			size = uint64(m.size)
		}
		if m.csize != 0 {
			csize = uint64(m.csize)
		}
		if m.headerAt != 0 {
			offset = uint64(max(m.headerAt, 0))
		}
		sizes := func(b []byte, size, csize uint64) []byte {
			if m.zip64 {
				size, csize = 0xFFFFFFFF, 0xFFFFFFFF
			}
			return le.AppendUint32(le.AppendUint32(b, uint32(csize)), uint32(size))
		}
		extra := m.extra
		if m.zip64 {
			extra = le.AppendUint64(le.AppendUint64([]byte{1, 0, 16, 0}, size), csize)
		}
		if !m.omitFromHeader {
			out = append(out, magicLocal...)
			out = le.AppendUint16(out, 20)
			out = le.AppendUint16(out, flags)
			out = le.AppendUint16(out, method)
			out = append(out, 0, 0, 0, 0)
			if m.descriptor {
				out = append(out, make([]byte, 12)...)
			} else {
				out = sizes(le.AppendUint32(out, crc), size, csize)
			}
			out = le.AppendUint16(le.AppendUint16(out, uint16(len(m.name))), uint16(len(extra)))
			out = append(append(append(out, m.name...), extra...), data...)
			if m.descriptor {
				out = append(out, "PK\x07\x08"...)
				out = le.AppendUint32(le.AppendUint32(le.AppendUint32(out, crc), uint32(csize)), uint32(size))
			}
		}
		name := m.name
		if m.directoryName != "" {
			name = m.directoryName
		}
		dir = append(dir, magicEntry...)
		dir = append(dir, 20, 3)
		dir = le.AppendUint16(dir, 20)
		dir = le.AppendUint16(dir, flags)
		dir = le.AppendUint16(dir, method)
		dir = append(dir, 0, 0, 0, 0)
		dir = sizes(le.AppendUint32(dir, crc), size, csize)
		dir = le.AppendUint16(le.AppendUint16(dir, uint16(len(name))), uint16(len(extra)))
		dir = append(dir, make([]byte, 6)...)
		dir = le.AppendUint32(dir, m.externalAttr)
		dir = le.AppendUint32(dir, uint32(offset))
		dir = append(append(dir, name...), extra...)
	}
	body = len(out)
	out = append(out, dir...)
	out = append(out, magicEnd...)
	out = append(out, 0, 0, 0, 0)
	out = le.AppendUint16(le.AppendUint16(out, uint16(len(members))), uint16(len(members)))
	out = le.AppendUint32(le.AppendUint32(out, uint32(len(dir))), uint32(body))
	return append(out, 0, 0), body
}

// ordinary writes a zip with the standard writer: descriptors, and zip64 where it must.
func ordinary(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func openBytes(t testing.TB, data []byte, limits Limits) (*Archive, error) {
	t.Helper()
	a, err := Open(context.Background(), []Part{{Name: "drop.bin", Source: bytes.NewReader(data)}}, limits, t.TempDir())
	if err == nil {
		t.Cleanup(func() {
			if err := a.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
	return a, err
}

func mustOpen(t testing.TB, data []byte, limits Limits) *Archive {
	t.Helper()
	a, err := openBytes(t, data, limits)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func read(m Member) (string, error) {
	r, err := m.Open(context.Background())
	if err != nil {
		return "", err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	return string(b), err
}

// listing is every member as "name=content" or "name!code".
func listing(t testing.TB, a *Archive) []string {
	t.Helper()
	var out []string
	for i, m := range a.Members {
		if m.Index != i {
			t.Errorf("member %q has index %d at place %d", m.Name, m.Index, i)
		}
		got, err := read(m)
		if err != nil {
			out = append(out, m.Name+"!"+string(codeOf(t, err)))
			continue
		}
		out = append(out, m.Name+"="+got)
	}
	return out
}

func codeOf(t testing.TB, err error) Code {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T) is not an *Error", err, err)
	}
	if e.Reason == "" || e.Error() == "" {
		t.Errorf("error %+v does not say what is wrong", e)
	}
	return e.Code
}

func refusals(a *Archive) []string {
	var out []string
	for _, e := range a.Refused {
		out = append(out, e.Member+"!"+string(e.Code))
	}
	return out
}
