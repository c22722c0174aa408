package mem

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/pamline/pamline/pamio/extsort"
)

// sorterBudget is how many bytes of one stream are held in memory before scratch files are used.
const sorterBudget = 8 << 20

// Output takes the files of a bundle one after the other.
type Output func(name string, write func(io.Writer) error) error

// Writer collects records in any order and writes them as a bundle.
type Writer struct {
	scratch  string
	streams  map[string]*extsort.Sorter
	received map[string]bool
	counts   map[string]int64
	scopes   map[string]bool
	coverage *Coverage
	number   uint64
	// keys are digests of the keys of native rows; nil if they are not noted.
	keys map[[16]byte]bool
}

// NewWriter makes a writer that keeps records in scratch files in a folder.
func NewWriter(scratch string) *Writer {
	return &Writer{scratch: scratch, streams: map[string]*extsort.Sorter{}, received: map[string]bool{}, counts: map[string]int64{}, scopes: map[string]bool{}}
}

// Close removes the scratch files.
func (w *Writer) Close() (err error) {
	for _, s := range w.streams {
		err = errors.Join(err, s.Close())
	}
	return err
}

// KeepOrder has a stream written in the order in which its records are added, and as they are,
// instead of the canonical one.
func (w *Writer) KeepOrder(kind string) { w.received[kind] = true }

// NoteKeys has the writer note the keys of native rows for [Writer.Has], in 16 bytes each.
func (w *Writer) NoteKeys() { w.keys = map[[16]byte]bool{} }

// Note notes a row that the bundle has no place for.
func (w *Writer) Note(kind, key string) { w.keys[noteOf(kind, key)] = true }

// Has tells whether a row of a native kind was added or noted since NoteKeys.
func (w *Writer) Has(kind, key string) bool { return w.keys[noteOf(kind, key)] }

func noteOf(kind, key string) [16]byte {
	sum := sha256.Sum256([]byte(kind + "\x00" + key))
	return [16]byte(sum[:])
}

// Add adds one record of any kind, tombstones, log and provenance included. A native one is checked
// and made canonical; a foreign one is kept byte for byte.
func (w *Writer) Add(kindName string, line []byte) error {
	path := PathOf(kindName)
	_, k := kindOf(path)
	key := []byte{}
	if k != nil {
		d, err := checkRecord(k, line)
		if err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
		n := d.Root()
		if w.keys != nil {
			w.keys[noteOf(kindName, joinKey(n, k.key))] = true
		}
		if !w.received[kindName] {
			if line, err = AppendCanonical(nil, n); err != nil {
				return fmt.Errorf("write %s: %w", path, err)
			}
		}
		switch kindName {
		case "episode":
			key = []byte(n.Get("id").Str())
			w.cover(n.Get("eventTime").Str())
			w.scope(n.Get("contextID").Str())
		case "context":
			w.scope(n.Get("id").Str())
		}
	}
	if k == nil || w.received[kindName] {
		w.number++
		key = binary.BigEndian.AppendUint64(nil, w.number)
	}
	s := w.streams[path]
	if s == nil {
		if !isSafePath(path) || !isListable(path) {
			return fmt.Errorf("write %q: the kind cannot be the name of a file", path)
		}
		s = extsort.New(w.scratch, sorterBudget)
		w.streams[path] = s
	}
	w.counts[kindName]++
	return s.Add(key, line)
}

func (w *Writer) scope(id string) {
	if id != "" {
		w.scopes[id] = true
	}
}

func (w *Writer) cover(when string) {
	t, err := ParseTime(when)
	if err != nil {
		return // the record was checked
	}
	at := FormatTime(t)
	if w.coverage == nil {
		w.coverage = &Coverage{at, at}
	}
	w.coverage.From, w.coverage.To = min(w.coverage.From, at), max(w.coverage.To, at)
}

// WriteOptions are what the manifest says besides what follows from the records.
type WriteOptions struct {
	Generator string
	CreatedAt string
	Level     string
	// Manifest is an earlier manifest, with its signature: it is written again if the files are
	// those that it lists.
	Manifest, Signature []byte
	// Key signs the manifest; it may be nil.
	Key ed25519.PrivateKey
	// Evidence tells that the bundle is an Evidence Pack: log, tombstones and provenance alone.
	Evidence bool
}

// capabilities are what a bundle of this writer has.
var capabilities = []string{"bitemporal", "tombstones", "redaction", "evidence-pack", "ext", "passthrough"}

// evidenceCapabilities are those of an Evidence Pack.
var evidenceCapabilities = []string{"evidence-pack", "proof-of-deletion", "audit", "provenance"}

// Write writes the bundle: the streams, then CHECKSUMS, manifest and signature.
func (w *Writer) Write(out Output, o WriteOptions) (*Manifest, error) {
	m := &Manifest{Format: "1.1.0", Generator: o.Generator, ConformanceLevel: o.Level, CreatedAt: o.CreatedAt, ExportMode: "full", SchemaVersion: 1,
		Capabilities: slices.Clone(capabilities), Counts: w.counts, Files: []File{}, SpecURL: "https://github.com/MacPaw/portable-memory",
		Coverage: w.coverage, Scopes: slices.Sorted(maps.Keys(w.scopes))}
	if o.Evidence {
		m.ConformanceLevel, m.Capabilities = "L3", slices.Clone(evidenceCapabilities)
	}
	for _, path := range slices.Sorted(maps.Keys(w.streams)) {
		f := File{Path: path}
		err := out(path, func(to io.Writer) (err error) {
			f.SHA256, f.Bytes, err = writeLines(to, w.streams[path])
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", path, err)
		}
		m.Files = append(m.Files, f)
	}
	list := checksumsText(m.Files)
	if err := out(ChecksumsFile, writeText(list)); err != nil {
		return nil, fmt.Errorf("write %s: %w", ChecksumsFile, err)
	}
	if old, err := ParseManifest(o.Manifest); o.Manifest != nil && err == nil && slices.Equal(old.Files, m.Files) {
		if o.Signature != nil {
			err = out(SignatureFile, writeText(o.Signature))
		}
		return old, errors.Join(err, out(ManifestFile, writeText(o.Manifest)))
	}
	sum := sha256.Sum256(list)
	m.BundleDigest = hex.EncodeToString(sum[:])
	if o.Key != nil {
		m.Capabilities = append(m.Capabilities, "signed")
	}
	text, err := m.canonical()
	if err != nil {
		return nil, err
	}
	if err := out(ManifestFile, writeText(text)); err != nil {
		return nil, fmt.Errorf("write %s: %w", ManifestFile, err)
	}
	if o.Key != nil {
		return m, out(SignatureFile, writeText([]byte(SignBytes(o.Key, text)+"\n")))
	}
	return m, nil
}

func writeText(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
}

func writeLines(to io.Writer, s *extsort.Sorter) (digest string, size int64, err error) {
	h := sha256.New()
	to = io.MultiWriter(to, h)
	for r, err := range s.Sorted() {
		if err != nil {
			return "", 0, err
		}
		n, err := to.Write(append(r.Value, '\n'))
		if err != nil {
			return "", 0, err
		}
		size += int64(n)
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}
