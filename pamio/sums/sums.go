// Package sums reads and writes the list of digests of a bundle: SHA256SUMS at its root, in the form
// of sha256sum, so that `sha256sum --check SHA256SUMS` verifies a bundle where there is no pamline.
//
// The list has a line for every file of the bundle but itself and its signature, ascending by name.
// A list of any other form is malformed: no change of the list goes unnoticed.
package sums

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"
	"sync"

	"github.com/pamline/pamline/pamio/extsort"
)

const (
	// File is the name of the list in a bundle.
	File = "SHA256SUMS"
	// SignatureFile is the name of the signature of the list.
	SignatureFile = "SHA256SUMS.sig"
)

// ErrMalformed is wrapped for a list that is not of the form that Write gives.
var ErrMalformed = errors.New("it is not of the form of a list of digests")

// maxName bounds the name of a file.
const maxName = 4096

// List collects digests. It is used by several goroutines, and must be closed.
type List struct {
	mu sync.Mutex
	s  *extsort.Sorter
}

// NewList gives an empty list that keeps what is much in a scratch folder; "" is that of the system.
func NewList(scratch string) *List { return &List{s: extsort.New(scratch, 8<<20)} }

// Close releases the scratch files.
func (l *List) Close() error { return l.s.Close() }

// Add adds a file. digest is its SHA-256 in hex.
func (l *List) Add(name, digest string) error {
	if !isName(name) || !isDigest(digest) {
		return fmt.Errorf("list digest of %q: %w", name, ErrMalformed)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.s.Add([]byte(name), []byte(digest))
}

// Write writes the list, and gives its own digest.
func (l *List) Write(w io.Writer) (digest string, err error) {
	h := sha256.New()
	out := bufio.NewWriterSize(io.MultiWriter(w, h), 64<<10)
	for r, err := range l.s.Sorted() {
		if err == nil {
			_, err = fmt.Fprintf(out, "%s  %s\n", r.Value, r.Key)
		}
		if err != nil {
			return "", fmt.Errorf("write %s: %w", File, err)
		}
	}
	if err := out.Flush(); err != nil {
		return "", fmt.Errorf("write %s: %w", File, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Line is a line of a list.
type Line struct{ Digest, Name string }

// Read gives the lines of a list. An error of ErrMalformed names the line.
func Read(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		in := bufio.NewReaderSize(r, 2*sha256.Size+len("  \n")+maxName)
		last := ""
		for n := 1; ; n++ {
			text, err := in.ReadSlice('\n')
			if errors.Is(err, io.EOF) && len(text) == 0 {
				return
			}
			digest, name, ok := strings.Cut(strings.TrimSuffix(string(text), "\n"), "  ")
			switch {
			case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull):
				yield(Line{}, err)
				return
			case err != nil, !ok, !isDigest(digest), !isName(name), name <= last:
				yield(Line{}, fmt.Errorf("read %s: line %d: %w", File, n, ErrMalformed))
				return
			}
			last = name
			if !yield(Line{digest, name}, nil) {
				return
			}
		}
	}
}

func isDigest(s string) bool {
	return len(s) == 2*sha256.Size && strings.Trim(s, "0123456789abcdef") == ""
}

func isName(s string) bool {
	return fs.ValidPath(s) && s != "." && s != File && s != SignatureFile && len(s) <= maxName && !strings.ContainsAny(s, "\n\r\\")
}
