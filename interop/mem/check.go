package mem

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/pamline/pamline/pamio/extsort"
)

// Severity says whether a finding makes a bundle invalid.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Finding is what is wrong at one place.
type Finding struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	// Path is the file, Line its line from 1, 0 for the file as a whole.
	Path   string `json:"path"`
	Line   int    `json:"line,omitempty"`
	Reason string `json:"reason"`
}

func (f Finding) String() string {
	at := f.Path
	if f.Line > 0 {
		at = fmt.Sprintf("%s:%d", f.Path, f.Line)
	}
	return fmt.Sprintf("%s: %s: %s [%s]", f.Severity, at, f.Reason, f.ID)
}

// CheckOptions set what a bundle is checked against.
type CheckOptions struct {
	// Trusted keys; with any of them the bundle must be signed by one.
	Trusted []ed25519.PublicKey
	// MaxFile is the greatest size of a file in bytes; 0 is 16 GiB.
	MaxFile int64
	// MaxFindings is how many findings of each id are reported; 0 is 20.
	MaxFindings int
	// Scratch is the folder for scratch files, "" that of the system.
	Scratch string
	// OnFinding gets the findings as they are found.
	OnFinding func(Finding)
}

// Report is the outcome of a check.
type Report struct {
	Format   string           `json:"format"`
	Level    string           `json:"conformance_level"`
	Counts   map[string]int64 `json:"counts"`
	Signed   bool             `json:"signed"`
	Key      string           `json:"key,omitempty"`
	Errors   int              `json:"errors"`
	Warnings int              `json:"warnings"`
}

type checker struct {
	*Bundle
	o      CheckOptions
	report Report
	found  map[string]int
}

// Check verifies the whole bundle: the manifest, every digest and size, what lies beside the listed
// files, signatures, and the form of every record of every stream, tombstones and log included. The
// error is for what keeps the bundle from being checked.
func (b *Bundle) Check(ctx context.Context, o CheckOptions) (Report, error) {
	if o.MaxFile == 0 {
		o.MaxFile = 16 << 30
	}
	if o.MaxFindings == 0 {
		o.MaxFindings = 20
	}
	c := &checker{Bundle: b, o: o, found: map[string]int{}}
	c.report.Counts = map[string]int64{}
	m, err := ParseManifest(b.ManifestText)
	if err != nil {
		c.add("manifest-malformed", ManifestFile, 0, err.Error())
		return c.report, nil
	}
	c.report.Format, c.report.Level = m.Format, m.ConformanceLevel
	if major, _, _ := strings.Cut(m.Format, "."); major != "1" {
		c.add("format-version", ManifestFile, 0, "the format is "+m.Format+", and this program reads 1.x")
		return c.report, nil
	}
	if canonical, err := Canonicalize(b.ManifestText); err != nil || !bytes.Equal(canonical, b.ManifestText) {
		c.warn("not-canonical", ManifestFile, 0, "it is not in canonical form")
	}
	for _, step := range []func(context.Context) error{c.checkSignature, c.checkTree, c.checkList, c.checkStreams} {
		if err := step(ctx); err != nil {
			return c.report, err
		}
	}
	return c.report, nil
}

func (c *checker) add(id, path string, line int, reason string) {
	c.report.Errors++
	c.find(Error, id, path, line, reason)
}

func (c *checker) warn(id, path string, line int, reason string) {
	c.report.Warnings++
	c.find(Warning, id, path, line, reason)
}

func (c *checker) find(s Severity, id, path string, line int, reason string) {
	if c.found[id]++; c.found[id] <= c.o.MaxFindings && c.o.OnFinding != nil {
		c.o.OnFinding(Finding{id, s, path, line, reason})
	}
}

func (c *checker) checkSignature(context.Context) error {
	sig, err := c.Signature()
	if err != nil {
		return fmt.Errorf("check signature: %w", err)
	}
	if sig == nil {
		if len(c.o.Trusted) > 0 {
			c.add("signature-missing", SignatureFile, 0, "the bundle must be signed and is not")
		}
		return nil
	}
	key, err := VerifyToken(strings.TrimSuffix(string(sig), "\n"), c.ManifestText, c.o.Trusted)
	if err != nil {
		c.add("signature-invalid", SignatureFile, 0, err.Error())
		return nil
	}
	c.report.Signed, c.report.Key = true, hex.EncodeToString(key)
	return nil
}

// checkTree looks at everything that lies in the bundle.
func (c *checker) checkTree(context.Context) error {
	for _, name := range c.unsafe {
		c.add("path-unsafe", name, 0, "the name of a file of the zip leaves the bundle")
	}
	for _, name := range c.repeated {
		c.add("file-duplicate", name, 0, "the zip has two files of this name")
	}
	if len(c.repeated) > 0 {
		return nil // which of them counts is up to who reads it
	}
	return fs.WalkDir(c.fsys, ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("check files: %w", err)
		}
		if e.IsDir() {
			return nil
		}
		switch {
		case !e.Type().IsRegular():
			c.add("file-unsafe", p, 0, "it is a link or a special file")
		case p == ManifestFile || p == SignatureFile || p == ChecksumsFile:
		case !slices.ContainsFunc(c.Manifest.Files, func(f File) bool { return f.Path == p }):
			c.add("file-unlisted", p, 0, "the manifest does not list it")
		}
		return nil
	})
}

// checkList compares the manifest's list with the files and with CHECKSUMS.
func (c *checker) checkList(context.Context) error {
	sorted := slices.IsSortedFunc(c.Manifest.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	if !sorted {
		c.warn("not-canonical", ManifestFile, 0, "the list of files is not sorted by path")
	}
	for _, f := range c.Manifest.Files {
		switch {
		case !isSafePath(f.Path):
			c.add("path-unsafe", ManifestFile, 0, fmt.Sprintf("%q leaves the bundle", f.Path))
		case !isListable(f.Path):
			c.add("path-unknown", ManifestFile, 0, fmt.Sprintf("%q is not a place for a stream", f.Path))
		default:
			c.checkFile(f)
		}
	}
	text, err := readBounded(c.fsys, ChecksumsFile, MaxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		c.add("checksums-missing", ChecksumsFile, 0, "the file is missing")
		return nil
	}
	if err != nil {
		return fmt.Errorf("check %s: %w", ChecksumsFile, err)
	}
	if sum := sha256.Sum256(text); c.Manifest.BundleDigest != "" && hex.EncodeToString(sum[:]) != c.Manifest.BundleDigest {
		c.add("bundle-digest", ManifestFile, 0, "bundleDigest is not the digest of CHECKSUMS")
	}
	if !bytes.Equal(text, checksumsText(c.Manifest.Files)) {
		c.add("checksums-differ", ChecksumsFile, 0, "it does not list the files of the manifest")
	}
	return nil
}

func (c *checker) checkFile(f File) {
	info, err := fs.Stat(c.fsys, f.Path)
	switch {
	case err != nil:
		c.add("file-missing", f.Path, 0, "it is listed and missing")
	case info.Size() > c.o.MaxFile:
		c.add("file-too-big", f.Path, 0, fmt.Sprintf("it is larger than %d bytes", c.o.MaxFile))
	case strings.HasSuffix(f.Path, ".vec"):
		h := sha256.New()
		in, err := c.fsys.Open(f.Path)
		if err != nil {
			c.add("file-missing", f.Path, 0, "it cannot be opened")
			return
		}
		n, err := io.Copy(h, in)
		if err = errors.Join(err, in.Close()); err != nil || n != f.Bytes || hex.EncodeToString(h.Sum(nil)) != f.SHA256 {
			c.add("checksum-mismatch", f.Path, 0, ErrChanged.Error())
		}
	}
}

func (c *checker) checkStreams(ctx context.Context) error {
	if c.found["file-missing"]+c.found["file-unsafe"]+c.found["path-unsafe"]+c.found["file-duplicate"]+c.found["file-too-big"]+c.found["path-unknown"] > 0 {
		return nil // nothing of it may be read
	}
	for _, f := range c.Manifest.Files {
		if !strings.HasSuffix(f.Path, ".jsonl") {
			continue
		}
		if err := c.checkStream(ctx, f); err != nil {
			return err
		}
	}
	for name, n := range c.Manifest.Counts {
		if got := c.report.Counts[name]; got != n {
			c.add("count-mismatch", ManifestFile, 0, fmt.Sprintf("it counts %d of %s, and there are %d", n, name, got))
		}
	}
	for name, n := range c.report.Counts {
		if _, ok := c.Manifest.Counts[name]; !ok && n > 0 {
			c.add("count-mismatch", ManifestFile, 0, fmt.Sprintf("it counts none of %s, and there are %d", name, n))
		}
	}
	return nil
}

// checkStream checks the file and the records of one stream.
func (c *checker) checkStream(ctx context.Context, f File) (err error) {
	in, err := c.fsys.Open(f.Path)
	if err != nil {
		return fmt.Errorf("check %s: %w", f.Path, err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	name, k := kindOf(f.Path)
	keys := extsort.New(c.o.Scratch, 16<<20)
	defer func() { err = errors.Join(err, keys.Close()) }()
	sum := sha256.New()
	var size int64
	last := ""
	for l, err := range eachLine(io.TeeReader(in, sum)) {
		if err != nil {
			if errors.Is(err, ErrTooBig) {
				c.add("record-too-big", f.Path, l.at, err.Error())
				return nil
			}
			return fmt.Errorf("check %s: %w", f.Path, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		size = l.end
		if l.text == nil {
			c.warn("not-canonical", f.Path, l.at, "the line is empty")
			continue
		}
		c.report.Counts[name]++
		key, order := c.checkLine(f.Path, k, l)
		if key != "" {
			h := sha256.Sum256([]byte(key))
			if err := keys.Add(h[:], fmt.Append(nil, l.at)); err != nil {
				return fmt.Errorf("check %s: %w", f.Path, err)
			}
		}
		if k != nil && name != Tombstone && order < last {
			c.warn("not-canonical", f.Path, l.at, "the records are not in canonical order")
		}
		last = order
	}
	if size != f.Bytes {
		c.add("size-mismatch", f.Path, 0, fmt.Sprintf("it has %d bytes, and the manifest says %d", size, f.Bytes))
	}
	if hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		c.add("checksum-mismatch", f.Path, 0, ErrChanged.Error())
	}
	return c.checkDuplicates(f.Path, keys)
}

// checkLine checks one record. order is what records of its stream are sorted by.
func (c *checker) checkLine(path string, k *kind, l lineAt) (key, order string) {
	d, err := checkRecord(k, l.text)
	if err != nil {
		c.add("record-malformed", path, l.at, err.Error())
		return "", ""
	}
	if k == nil {
		return "", ""
	}
	canonical, err := Canonicalize(l.text)
	if err != nil || !bytes.Equal(canonical, l.text) || l.crlf || l.unended {
		c.warn("not-canonical", path, l.at, "the record is not in canonical form")
	}
	if k.name == Tombstone {
		if err := verifyTombstone(d.Root(), c.o.Trusted); err != nil && !errors.Is(err, ErrNoSignature) {
			c.add("tombstone-signature", path, l.at, err.Error())
		}
	}
	if key = keyOf(k, d); k.name == "episode" {
		return key, key
	}
	return key, string(canonical)
}

func (c *checker) checkDuplicates(path string, keys *extsort.Sorter) error {
	var last []byte
	for r, err := range keys.Sorted() {
		if err != nil {
			return fmt.Errorf("check %s: %w", path, err)
		}
		if bytes.Equal(r.Key, last) {
			line := 0
			if _, err := fmt.Sscan(string(r.Value), &line); err != nil {
				return err
			}
			c.add("record-duplicate", path, line, "another record of the stream has the same key")
		}
		last = append(last[:0], r.Key...)
	}
	return nil
}
