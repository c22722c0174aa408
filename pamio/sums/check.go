package sums

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/pamline/pamline/pamio/extsort"
)

// Kind is what is wrong with a file.
type Kind string

// The kinds of problems.
const (
	Malformed  Kind = "malformed" // the list itself
	Differs    Kind = "differs"
	Missing    Kind = "missing"
	Extra      Kind = "extra" // the list does not name the file
	Unreadable Kind = "unreadable"
)

// Problem is one file that is not as the list says.
type Problem struct {
	Kind Kind
	File string
	Err  error // of a list that is malformed, and of an unreadable file
}

func (p Problem) String() string {
	switch p.Kind {
	case Malformed, Unreadable:
		return fmt.Sprintf("%s: %v", p.File, p.Err)
	case Differs:
		return p.File + " is not the file that " + File + " names: it was changed or damaged"
	case Missing:
		return p.File + " is missing"
	}
	return p.File + " is not in " + File
}

// Checked is what a check has read.
type Checked struct {
	// Digest is that of the list; "" if the bundle has no list.
	Digest string
	Files  int64
	Bytes  int64
}

// Values of the records that a check sorts: a file that is there, and a digest.
const there = "+"

// Check compares the files of a bundle with its list. A bundle without a list has no problems. The
// error tells that the check could not go on.
func Check(ctx context.Context, bundle fs.FS, scratch string, found func(Problem) error) (c Checked, err error) {
	s := extsort.New(scratch, 8<<20)
	defer func() { err = errors.Join(err, s.Close()) }()
	whole, err := readList(bundle, s, &c, found)
	if err != nil || c.Digest == "" {
		return c, err
	}
	err = EachFile(bundle, ".", func(name string) error { return s.Add([]byte(name), []byte(there)) })
	if err != nil {
		return c, found(Problem{Unreadable, ".", err})
	}
	name, digest, isThere := "", "", false
	flush := func() error {
		if err := ctx.Err(); err != nil || name == "" {
			return err
		}
		return c.checkFile(bundle, name, digest, isThere, whole, found)
	}
	for r, err := range s.Sorted() {
		if err != nil {
			return c, err
		}
		if string(r.Key) != name {
			if err := flush(); err != nil {
				return c, err
			}
			name, digest, isThere = string(r.Key), "", false
		}
		if string(r.Value) == there {
			isThere = true
		} else {
			digest = string(r.Value)
		}
	}
	return c, flush()
}

// readList notes the lines of the list; whole tells whether all of it could be read.
func readList(bundle fs.FS, s *extsort.Sorter, c *Checked, found func(Problem) error) (whole bool, err error) {
	f, err := bundle.Open(File)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		c.Digest = "unreadable"
		return false, found(Problem{Unreadable, File, err})
	}
	defer f.Close()
	h := sha256.New()
	for line, err := range Read(io.TeeReader(f, h)) {
		if err != nil {
			c.Digest = "malformed"
			return false, found(Problem{Malformed, File, err})
		}
		if err := s.Add([]byte(line.Name), []byte(line.Digest)); err != nil {
			return false, err
		}
	}
	c.Digest = hex.EncodeToString(h.Sum(nil))
	return true, nil
}

func (c *Checked) checkFile(bundle fs.FS, name, digest string, isThere, whole bool, found func(Problem) error) error {
	switch {
	case digest == "":
		if whole {
			return found(Problem{Kind: Extra, File: name})
		}
		return nil
	case !isThere:
		return found(Problem{Kind: Missing, File: name})
	}
	sum, size, err := DigestOf(bundle, name)
	c.Files++
	c.Bytes += size
	switch {
	case err != nil:
		return found(Problem{Unreadable, name, err})
	case sum != digest:
		return found(Problem{Kind: Differs, File: name})
	}
	return nil
}

// DigestOf gives the SHA-256 of a file, in hex, and its size.
func DigestOf(bundle fs.FS, name string) (digest string, size int64, err error) {
	f, err := bundle.Open(name)
	if err != nil {
		return "", 0, err
	}
	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, errors.Join(err, f.Close())
}

// EachFile gives the files of a bundle that a list has. Big folders are read in pieces.
func EachFile(bundle fs.FS, folder string, yield func(string) error) error {
	f, err := bundle.Open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	dir, ok := f.(fs.ReadDirFile)
	if !ok {
		return errors.New("it is no folder")
	}
	for {
		entries, err := dir.ReadDir(1024)
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			var inner error
			switch {
			case e.IsDir():
				inner = EachFile(bundle, name, yield)
			case name != File && name != SignatureFile:
				inner = yield(name)
			}
			if inner != nil {
				return inner
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
