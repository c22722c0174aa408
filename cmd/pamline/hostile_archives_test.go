//go:build linux

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Archives that are small for what they could cost, or lie about what is in them.

// writeMembers writes a zip of n conversations, each a file.
func writeMembers(w io.Writer, n int) error {
	return writeZip(w, n, func(i int) (string, []byte) {
		return fmt.Sprintf("files/conversations-%06d.json", i), []byte(hostileChat(i, "I like tea."))
	})
}

// writeEntries writes a zip of n empty files.
func writeEntries(w io.Writer, n int) error {
	return writeZip(w, n, func(i int) (string, []byte) { return fmt.Sprintf("f/%07d", i), nil })
}

// writeNamesakes writes a zip of n conversations that have the same name.
func writeNamesakes(w io.Writer, n int) error {
	return writeZip(w, n, func(i int) (string, []byte) { return "conversations.json", []byte(hostileChat(i, "I like tea.")) })
}

// writeNested writes n zips of n zips of n conversations.
func writeNested(w io.Writer, n int) error {
	inner := []byte(hostileChat(0, "hi"))
	for _, form := range []string{"conversations-%02d.json", "z%02d.zip"} {
		var b bytes.Buffer
		if err := zipOf(&b, n, func(i int) (string, []byte) { return fmt.Sprintf(form, i), inner }); err != nil {
			return err
		}
		inner = b.Bytes()
	}
	return zipOf(w, n, func(i int) (string, []byte) { return fmt.Sprintf("z%02d.zip", i), inner })
}

// writeBadNames writes a zip with n files whose names lead out of it, or are no names.
func writeBadNames(w io.Writer, n int) error {
	names := []string{"../../etc/passwd%d.json", "/abs%d.json", "a\x00b%d.json", `..\..\win%d.json`, "C:/x%d.json", "a/../../b%d.json", "con%d", "\xff\xfe%d.json", strings.Repeat("d/", 2000) + "%d.json"}
	return writeZip(w, n, func(i int) (string, []byte) { return fmt.Sprintf(names[i%len(names)], i), []byte(hostileChat(i, "hi")) })
}

// writeZip writes a zip with a conversation and n files.
func writeZip(w io.Writer, n int, file func(i int) (string, []byte)) error {
	return zipOf(w, n+1, func(i int) (string, []byte) {
		if i == 0 {
			return "conversations.json", []byte(hostileChat(n, "hi"))
		}
		return file(i - 1)
	})
}

func zipOf(w io.Writer, n int, file func(i int) (string, []byte)) error {
	z := zip.NewWriter(w)
	for i := range n {
		name, body := file(i)
		f, err := z.Create(name)
		if err == nil {
			_, err = f.Write(body)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// writeBomb writes a zip with a conversation and a file of n times 1 MiB of spaces.
func writeBomb(w io.Writer, n int) error {
	z := zip.NewWriter(w)
	for _, name := range []string{"conversations.json", "bomb.json"} {
		f, err := z.Create(name)
		if err == nil && name == "bomb.json" {
			err = writeSpaces(f, n)
		}
		if err == nil {
			_, err = io.WriteString(f, hostileChat(0, "hi"))
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// writeSpaces writes n times 1 MiB of spaces.
func writeSpaces(w io.Writer, n int) error {
	blank := bytes.Repeat([]byte{' '}, 1<<20)
	for range n {
		if _, err := w.Write(blank); err != nil {
			return err
		}
	}
	return nil
}

// writeOverlapping writes a zip whose directory names the same bytes n times.
func writeOverlapping(w io.Writer, n int) error {
	return zipWith(w, n, func(entry []byte, _ int) []byte { return entry })
}

// writeHugeClaims writes a zip whose directory says, in the extension for large files, that its
// members have some exabytes.
func writeHugeClaims(w io.Writer, n int) error {
	return zipWith(w, n, func(entry []byte, i int) []byte {
		le := binary.LittleEndian
		extra := le.AppendUint64(le.AppendUint64([]byte{1, 0, 16, 0}, 1<<62+uint64(i)), 1<<62)
		entry = bytes.Clone(entry)
		le.PutUint32(entry[20:], 0xFFFFFFFF)
		le.PutUint32(entry[24:], 0xFFFFFFFF)
		le.PutUint16(entry[30:], uint16(len(extra)))
		return append(entry, extra...)
	})
}

// zipWith writes a zip of a conversation whose directory has n entries, all made of the only one.
func zipWith(w io.Writer, n int, entryOf func(entry []byte, i int) []byte) error {
	var b bytes.Buffer
	if err := zipOf(&b, 1, func(int) (string, []byte) { return "conversations.json", []byte(hostileChat(0, "hi")) }); err != nil {
		return err
	}
	whole := b.Bytes()
	const endSize, entrySize = 22, 46
	le := binary.LittleEndian
	end := len(whole) - endSize
	at := int(le.Uint32(whole[end+16:]))
	fixed := entrySize + int(le.Uint16(whole[at+28:])) // without the times that the writer adds
	entry := bytes.Clone(whole[at : at+fixed])
	le.PutUint16(entry[30:], 0)
	var directory []byte
	for i := range n {
		directory = append(directory, entryOf(entry, i)...)
	}
	tail := bytes.Clone(whole[end:])
	le.PutUint16(tail[8:], uint16(min(n, 0xFFFE)))
	le.PutUint16(tail[10:], uint16(min(n, 0xFFFE)))
	le.PutUint32(tail[12:], uint32(len(directory)))
	_, err := w.Write(append(append(bytes.Clone(whole[:at]), directory...), tail...))
	return err
}

// writeGzipBomb writes a conversation behind n times 1 MiB of spaces.
func writeGzipBomb(w io.Writer, n int) error {
	z := gzip.NewWriter(w)
	err := writeSpaces(z, n)
	if err == nil {
		_, err = io.WriteString(z, hostileChat(0, "hi"))
	}
	return errors.Join(err, z.Close())
}

// writeGzips writes a list of n conversations, each compressed by itself, one behind the other.
func writeGzips(w io.Writer, n int) error {
	z := gzip.NewWriter(w)
	for i := range n {
		if i > 0 {
			z.Reset(w)
		}
		text := strings.Trim(hostileChat(i, "I like tea."), "[]") + ","
		if i == 0 {
			text = "[" + text
		}
		if i == n-1 {
			text = strings.TrimSuffix(text, ",") + "]"
		}
		if _, err := io.WriteString(z, text); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
	}
	return nil
}

// writeLinks writes a tar of a conversation and n links and devices that lead out of it.
func writeLinks(w io.Writer, n int) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	kinds := []tar.Header{
		{Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, {Typeflag: tar.TypeSymlink, Linkname: "../../../etc"},
		{Typeflag: tar.TypeLink, Linkname: "conversations.json"}, {Typeflag: tar.TypeChar}, {Typeflag: tar.TypeFifo},
	}
	for i := range n {
		h := kinds[i%len(kinds)]
		h.Name, h.Mode = fmt.Sprintf("out%d/conversations.json", i), 0o777
		if err := t.WriteHeader(&h); err != nil {
			return err
		}
	}
	body := hostileChat(0, "hi")
	for _, name := range []string{"conversations.json", "../../escape.json", "out0/through.json"} {
		err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(body)), Mode: 0o600})
		if err == nil {
			_, err = io.WriteString(t, body)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}
