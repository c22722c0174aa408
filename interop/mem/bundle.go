package mem

import (
	"archive/zip"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// Errors of bundles.
var (
	ErrNotMem  = errors.New("not a .mem bundle")
	ErrChanged = errors.New("the file is not the one that the manifest lists")
	ErrTooBig  = errors.New("it is larger than the limit")
)

// MaxLine is the greatest length of a record, MaxManifest that of the manifest, in bytes.
const (
	MaxLine     = 384 << 20
	MaxManifest = 64 << 20
)

// Bundle is an open bundle.
type Bundle struct {
	// Manifest is nil if it is malformed; Check says why.
	Manifest *Manifest
	// ManifestText is manifest.json as it stands.
	ManifestText []byte
	fsys         fs.FS
	close        func() error
	// unsafe and repeated are names of a zip that no file system shows.
	unsafe, repeated []string
}

// IsBundle tells by its content whether a folder or zip is a bundle of this format.
func IsBundle(name string) bool {
	b, err := Open(name)
	if err != nil {
		return false
	}
	return b.Close() == nil
}

// Open opens a folder or zip by its path. The bundle is at its root or in its only folder. What has
// no manifest of this format gives an error that wraps [ErrNotMem].
func Open(name string) (*Bundle, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("open bundle: %w", err)
	}
	if info.IsDir() {
		root, err := os.OpenRoot(name)
		if err != nil {
			return nil, fmt.Errorf("open bundle: %w", err)
		}
		return newOpen(root.FS(), root.Close)
	}
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, fmt.Errorf("open bundle: %w: %w", ErrNotMem, err)
	}
	b, err := newOpen(z, z.Close)
	if err == nil {
		b.unsafe, b.repeated = hiddenNames(z.File)
	}
	return b, err
}

// hiddenNames gives the names of a zip that leave it, and those that stand in it twice: a file
// system shows neither, and other programs may unpack them.
func hiddenNames(files []*zip.File) (unsafe, repeated []string) {
	seen := map[string]bool{}
	for _, f := range files {
		switch name := strings.TrimSuffix(f.Name, "/"); {
		case !fs.ValidPath(name) || strings.Contains(name, "\\"):
			unsafe = append(unsafe, f.Name)
		case seen[name]:
			repeated = append(repeated, f.Name)
		default:
			seen[name] = true
		}
	}
	return unsafe, repeated
}

func newOpen(fsys fs.FS, closer func() error) (*Bundle, error) {
	b, err := New(fsys)
	if err != nil {
		return nil, errors.Join(err, closer())
	}
	b.close = closer
	return b, nil
}

// New opens the bundle of a file system.
func New(fsys fs.FS) (*Bundle, error) {
	if _, err := fs.Stat(fsys, ManifestFile); err != nil {
		entries, err := fs.ReadDir(fsys, ".")
		if err != nil {
			return nil, fmt.Errorf("open bundle: %w", err)
		}
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() || e.Name() == "__MACOSX" })
		if len(entries) != 1 {
			return nil, fmt.Errorf("open bundle: %w: there is no %s", ErrNotMem, ManifestFile)
		}
		if fsys, err = fs.Sub(fsys, entries[0].Name()); err != nil {
			return nil, fmt.Errorf("open bundle: %w", err)
		}
	}
	src, err := readBounded(fsys, ManifestFile, MaxManifest)
	if err != nil {
		return nil, fmt.Errorf("open bundle: %w: %w", ErrNotMem, err)
	}
	if _, err := fs.Stat(fsys, ChecksumsFile); err != nil && !hasMarks(src) {
		return nil, fmt.Errorf("open bundle: %w: %s has no format, counts and files", ErrNotMem, ManifestFile)
	}
	b := &Bundle{ManifestText: src, fsys: fsys, close: func() error { return nil }}
	if b.Manifest, err = ParseManifest(src); err != nil {
		b.Manifest = nil
	}
	return b, nil
}

// hasMarks tells whether a manifest is one of this format.
func hasMarks(src []byte) bool {
	d, err := jsonscan.Parse(src, 0)
	if err != nil {
		return false
	}
	n := d.Root()
	return n.Get("format").Kind() == jsonscan.String && n.Get("counts").Kind() == jsonscan.Object && n.Get("files").Kind() == jsonscan.Array
}

// Close closes the folder or zip.
func (b *Bundle) Close() error { return b.close() }

// Open opens a file of the bundle.
func (b *Bundle) Open(name string) (fs.File, error) { return b.fsys.Open(name) }

// Signature is manifest.sig, nil if there is none.
func (b *Bundle) Signature() ([]byte, error) {
	text, err := readBounded(b.fsys, SignatureFile, 4096)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// Streams are the JSON Lines files of the bundle in the order in which an importer applies them:
// tombstones, the native kinds, foreign kinds, the audit log and the provenance.
func (b *Bundle) Streams() []string {
	order := []string{TombstonesFile}
	for _, k := range kinds {
		order = append(order, PathOf(k.name))
	}
	var listed, foreign []string
	for _, f := range b.Manifest.Files {
		if !strings.HasSuffix(f.Path, ".jsonl") {
			continue
		}
		listed = append(listed, f.Path)
		if name, k := kindOf(f.Path); k == nil && f.Path == PathOf(name) {
			foreign = append(foreign, f.Path)
		}
	}
	slices.Sort(foreign)
	order = append(append(order, foreign...), LogFile, EvidenceFile)
	return slices.DeleteFunc(order, func(p string) bool { return !slices.Contains(listed, p) })
}

// Records gives the records of a stream and verifies size and digest of its file on the way: if
// they differ from the manifest's, the last error wraps [ErrChanged], and what was read must not be
// used. Records of native kinds are checked; an error that wraps [ErrMalformed] names the line, and
// reading goes on behind it.
func (b *Bundle) Records(name string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		i := slices.IndexFunc(b.Manifest.Files, func(f File) bool { return f.Path == name })
		if i < 0 || !isSafePath(name) {
			yield(Record{}, fmt.Errorf("read %s: %w", name, ErrChanged))
			return
		}
		f, err := b.fsys.Open(name)
		if err != nil {
			yield(Record{}, fmt.Errorf("read records: %w", err))
			return
		}
		defer f.Close() // only read
		sum := sha256.New()
		kindName, k := kindOf(name)
		var size int64
		for line, err := range eachLine(io.TeeReader(f, sum)) {
			if err != nil {
				yield(Record{}, fmt.Errorf("read %s: %w", name, err))
				return
			}
			size = line.end
			if line.text == nil {
				continue
			}
			r := Record{Kind: kindName, Line: line.text, Number: line.number, Offset: line.start}
			if _, err = checkRecord(k, line.text); err != nil {
				err = fmt.Errorf("%s line %d: %w", name, line.at, err)
			}
			if !yield(r, err) {
				return
			}
		}
		if size != b.Manifest.Files[i].Bytes || hex.EncodeToString(sum.Sum(nil)) != b.Manifest.Files[i].SHA256 {
			yield(Record{}, fmt.Errorf("read %s: %w", name, ErrChanged))
		}
	}
}

// lineAt is one line of a file. A line without text is empty, and counts for its length alone.
type lineAt struct {
	text       []byte
	start, end int64
	// at counts lines from 1, number records from 0.
	at, number int
	// crlf tells that the line ends with a carriage return; unended that it has no line feed.
	crlf, unended bool
}

func eachLine(r io.Reader) iter.Seq2[lineAt, error] {
	return func(yield func(lineAt, error) bool) {
		in := bufio.NewReaderSize(r, 256<<10)
		var buf []byte
		var l lineAt
		for {
			l.at++
			l.start, buf = l.end, buf[:0]
			for {
				part, err := in.ReadSlice('\n')
				l.end += int64(len(part))
				if len(buf)+len(part) > MaxLine {
					yield(l, fmt.Errorf("line %d: %w of %d bytes", l.at, ErrTooBig, MaxLine))
					return
				}
				buf = append(buf, part...)
				if err == nil || errors.Is(err, io.EOF) {
					break
				}
				if !errors.Is(err, bufio.ErrBufferFull) {
					yield(l, err)
					return
				}
			}
			if len(buf) == 0 {
				return
			}
			ended := bytes.HasSuffix(buf, []byte{'\n'})
			l.text, l.unended = bytes.TrimSuffix(buf, []byte{'\n'}), !ended
			trimmed := bytes.TrimSuffix(l.text, []byte{'\r'})
			l.crlf, l.text = len(trimmed) != len(l.text), trimmed
			if len(bytes.TrimSpace(l.text)) == 0 {
				l.text = nil
			}
			if !yield(l, nil) {
				return
			}
			if l.text != nil {
				l.number++
			}
		}
	}
}

func readBounded(fsys fs.FS, name string, limit int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	src, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(src)) > limit {
		return nil, fmt.Errorf("%s: %w of %d bytes", path.Base(name), ErrTooBig, limit)
	}
	return src, nil
}
