package state

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/s2"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
)

// A pack has the snapshots and records of one shard. Its documents are one object named by digest,
// an S2 block for each: a ranged Get reads one, a sequential read all. Its list is
// snapshots/<n>.jsonl: a PackHeader, then a SnapshotLine for each document, then a seal. The list
// is written once, after the documents. It is the checkpoint from which an interrupted ingest
// continues.

// PackHeader is the first line of the list of a pack.
type PackHeader struct {
	V int `json:"v"`
	// Pack is the digest of the documents (PackKey); "" if the list has no lines.
	Pack string `json:"pack,omitempty"`
	// Importers, Extractors and Embeddings are those of the import (Manifest).
	Importers  []string `json:"importers"`
	Extractors []string `json:"extractors"`
	Embeddings string   `json:"embeddings,omitempty"`
	// Units counts the units of the drop up to the end of this pack.
	Units int64 `json:"units"`
	// Counts is what this pack adds to the import's account.
	Counts      Counts        `json:"counts"`
	Quarantined []Quarantined `json:"quarantined,omitempty"`
	// Newest is the newest time seen in each part up to here.
	Newest map[int]string `json:"newest,omitempty"`
	Shard  string         `json:"shard"`
	// Files are the source_file names of the sources that the lines have.
	Files SourceFiles `json:"files,omitempty"`
	Bytes int64       `json:"bytes"` // of the documents, uncompressed
	Count int         `json:"count"` // of the lines
	// Records counts the lines that are records.
	Records int `json:"records,omitempty"`
	// Assets are the files that stood inside the units.
	Assets []AssetFile `json:"assets,omitempty"`
}

// SourceFiles are names of members by the numbers of their sources.
type SourceFiles map[int]string

// UnmarshalJSON reads an object, and the array of all sources that earlier versions wrote.
func (f *SourceFiles) UnmarshalJSON(raw []byte) error {
	if raw[0] != '[' {
		return json.Unmarshal(raw, (*map[int]string)(f))
	}
	var all []string
	if err := json.Unmarshal(raw, &all); err != nil {
		return err
	}
	*f = make(SourceFiles, len(all))
	for n, name := range all {
		(*f)[n] = name
	}
	return nil
}

// SnapshotLine is what the assembler needs to know of a snapshot without opening it. The line of a
// record has its kind in Record, and nothing of a conversation.
type SnapshotLine struct {
	Record       string   `json:"r,omitempty"`
	Conversation string   `json:"c"`
	Order        string   `json:"o"`
	Digest       string   `json:"d"`
	Offset       int64    `json:"at"` // of its frame in the pack
	Length       int64    `json:"n"`  // of its frame
	Size         int64    `json:"b"`  // of the document
	Source       int      `json:"s"`
	Position     int64    `json:"i"` // of the unit in its member
	Platform     string   `json:"p"`
	Title        *string  `json:"t,omitempty"`
	CreatedAt    string   `json:"ca"`
	UpdatedAt    string   `json:"ua,omitempty"`
	Messages     int64    `json:"m"`
	Tags         []string `json:"tg,omitempty"`
	// Import is the import_metadata that the document came with; nil: it is that of the source.
	Import *pamio.ImportMetadata `json:"im,omitempty"`
	// Wanted tells that an extractor of the import may find something in the document. Other
	// documents need not be read.
	Wanted bool `json:"w,omitempty"`
}

// EncodePackList writes a list as JSON lines, to be stored under a key.
func EncodePackList(key string, h PackHeader, lines []SnapshotLine) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(h); err != nil {
		return nil, fmt.Errorf("encode pack list: %w", err)
	}
	for i := range lines {
		if err := e.Encode(&lines[i]); err != nil {
			return nil, fmt.Errorf("encode pack list: %w", err)
		}
	}
	return fmt.Appendf(b.Bytes(), listSeal, objects.SealOf(key, b.Bytes())), nil
}

// listSeal is the last line of a list: the SHA-256 of its key and of the lines before.
const listSeal = "{\"seal\":\"%s\"}\n"

// PackList is an opened list.
type PackList struct {
	PackHeader
	// Digest is the SHA-256 of the list.
	Digest string
	key    string
	d      *json.Decoder
}

// OpenPackList reads a list whole, and verifies its seal before any line is used. A missing list is
// blob.ErrNotExist.
func OpenPackList(ctx context.Context, s blob.Store, key string) (*PackList, error) {
	return openPackList(ctx, s, key, "")
}

func openPackList(ctx context.Context, s blob.Store, key, digest string) (*PackList, error) {
	body, sum, err := objects.ReadVerified(ctx, s, key, digest)
	if err != nil {
		return nil, err
	}
	at := bytes.LastIndexByte(bytes.TrimSuffix(body, []byte("\n")), '\n') + 1
	if string(body[at:]) != fmt.Sprintf(listSeal, objects.SealOf(key, body[:at])) {
		return nil, objects.Damaged(key, objects.ErrDamaged)
	}
	l := &PackList{key: key, Digest: sum, d: json.NewDecoder(bytes.NewReader(body[:at]))}
	if err := l.d.Decode(&l.PackHeader); err != nil {
		return nil, objects.Damaged(key, err)
	}
	return l, nil
}

// Lines gives the lines behind the header, once. It verifies their number.
func (l *PackList) Lines(yield func(SnapshotLine, error) bool) {
	for n := 0; ; n++ {
		var line SnapshotLine
		err := l.d.Decode(&line)
		if errors.Is(err, io.EOF) && n == l.Count {
			return
		}
		if err != nil {
			yield(line, objects.Damaged(l.key, err))
			return
		}
		if !yield(line, nil) {
			return
		}
	}
}

// OpenShardList opens the list of a manifest's shard. A list of other content than the manifest
// names is a fault of class Permanent.
func OpenShardList(ctx context.Context, s blob.Store, m Manifest, shard Shard) (*PackList, error) {
	key := PackListKey(m.Owner, m.Import, shard.Pack)
	l, err := openPackList(ctx, s, key, shard.List)
	if err != nil {
		return nil, objects.Lost(key, err)
	}
	if l.Shard != shard.ID {
		return nil, fault.Permanentf(objects.UnusableHint(key), "read import %s: pack %d holds shard %s, the manifest names %s", m.Import, shard.Pack, l.Shard, shard.ID)
	}
	return l, nil
}

// PackFrame appends the compressed form of a document. S2 gives up a third of zstd's compression
// for a fifth of its time: every document is compressed once and expanded twice on its way.
func PackFrame(dst, doc []byte) []byte {
	n := len(dst)
	dst = slices.Grow(dst, s2.MaxEncodedLen(len(doc)))
	return dst[:n+len(s2.Encode(dst[n:cap(dst)], doc))]
}

// UnpackFrame expands a frame into dst, whose memory is used again. A frame that would expand to
// more than max bytes is refused before any memory is taken for it.
func UnpackFrame(dst, frame []byte, max int64) ([]byte, error) {
	n, err := s2.DecodedLen(frame)
	if err != nil {
		return nil, fmt.Errorf("expand frame: %w", err)
	}
	if int64(n) > max {
		return nil, fmt.Errorf("expand frame: it names %d bytes, more than the %d of the limit", n, max)
	}
	if cap(dst) < n {
		dst = make([]byte, n)
	}
	out, err := s2.Decode(dst[:cap(dst)], frame)
	if err != nil {
		return nil, fmt.Errorf("expand frame: %w", err)
	}
	return out, nil
}
