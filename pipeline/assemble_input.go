package pipeline

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
)

// stored gives the assembler the accepted imports of one owner as they lie in storage, and takes its files.
type stored struct {
	Deps
	gathered *gathered // is the Store of Deps
	owner    string
	head     Head
	// imports are the manifests of the input set, by import id.
	imports map[string]Manifest
	// past are the manifests of replaced results, by import id.
	past  []Manifest
	edits []assemble.Edit
	// lost are the shards that were given up, by import.
	lost map[string][]string
	// written of at most expected conversations: for progress.
	written  atomic.Int64
	expected int64
}

// contractName is import_metadata.importer and exported_by: the contract of what is written, not the build, so that a
// new build alone changes no document (PAM §3.2, §25.3).
const contractName = "pamline/1.0.0"

func (s *stored) manifests() []Manifest {
	var out []Manifest
	for _, id := range slices.Sorted(maps.Keys(s.imports)) {
		out = append(out, s.imports[id])
	}
	return out
}

// Snapshots are the lines of all packs.
func (s *stored) Snapshots(ctx context.Context) iter.Seq2[assemble.Snapshot, error] {
	return func(yield func(assemble.Snapshot, error) bool) {
		for _, m := range s.manifests() {
			for _, shard := range m.Shards {
				for line, err := range shardLines(ctx, s.Store, m, shard) {
					if err == nil && line.Record != "" {
						continue
					}
					snap, bad := s.snapshot(m, shard, line)
					if !yield(snap, errors.Join(err, bad)) {
						return
					}
				}
			}
		}
	}
}

func (s *stored) snapshot(m Manifest, shard Shard, l snapshotLine) (assemble.Snapshot, error) {
	if l.Source < 0 || l.Source >= len(m.Sources) {
		return assemble.Snapshot{}, permanent("import the drop again", "read import %s: a snapshot names source %d of %d", m.Import, l.Source, len(m.Sources))
	}
	src := m.Sources[l.Source]
	return assemble.Snapshot{
		Conversation: l.Conversation, Order: l.Order, Digest: l.Digest,
		Pack: m.Import + "/" + strconv.Itoa(shard.Pack), Offset: l.Offset, Length: l.Length, Size: l.Size, Position: l.Position,
		Source: assemble.Source{
			File: src.File, Checksum: src.Checksum, ImportedAt: documentTime(m.Parts[src.Part].Newest),
			Importer: contractName, ImporterVersion: src.Importer,
		},
		Platform: l.Platform, Title: l.Title, CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt, Messages: l.Messages, Tags: l.Tags,
	}, nil
}

// documentTime writes a sortable time as documents have it: a fraction of zero is none.
func documentTime(t string) string { return strings.Replace(t, ".000000Z", "Z", 1) }

func (s *stored) packKey(pack string) (string, error) {
	id, n, ok := strings.Cut(pack, "/")
	number, err := strconv.Atoi(n)
	if !ok || err != nil {
		return "", fmt.Errorf("read pack: %q names none", pack)
	}
	return packKey(s.owner, id, number), nil
}

// Read gives one document with a ranged Get.
func (s *stored) Read(ctx context.Context, snap assemble.Snapshot) ([]byte, error) {
	key, err := s.packKey(snap.Pack)
	if err != nil {
		return nil, err
	}
	rc, _, err := s.Store.Get(ctx, key, blob.Range{Offset: snap.Offset, Length: snap.Length})
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	frame := make([]byte, snap.Length)
	if _, err := io.ReadFull(rc, frame); err != nil {
		return nil, damaged(key, err)
	}
	doc, err := unpackFrame(nil, frame, snap.Size)
	if err != nil {
		return nil, damaged(key, err)
	}
	return doc, nil
}

// ReadPack gives many documents of one pack with one Get.
func (s *stored) ReadPack(ctx context.Context, pack string, want []assemble.Snapshot, yield func(assemble.Snapshot, []byte) error) error {
	key, err := s.packKey(pack)
	if err != nil {
		return err
	}
	p, err := openPack(ctx, s.Store, key)
	if err != nil {
		return err
	}
	defer p.close()
	for _, snap := range want {
		doc, err := p.next(snap.Offset, snap.Length, snap.Size)
		if err != nil {
			return err
		}
		if err := yield(snap, doc); err != nil {
			return err
		}
	}
	return nil
}

// maxWindow bounds the memory of expanding our own zstd streams, whose windows are far smaller.
const maxWindow = 64 << 20

// Candidates are those of all shards that were extracted.
func (s *stored) Candidates(ctx context.Context) iter.Seq2[normalize.Candidate, error] {
	return s.candidates(ctx, s.manifests())
}

// Past are the candidates of results that were replaced.
func (s *stored) Past(ctx context.Context) iter.Seq2[normalize.Candidate, error] {
	return s.candidates(ctx, s.past)
}

func (s *stored) candidates(ctx context.Context, imports []Manifest) iter.Seq2[normalize.Candidate, error] {
	return func(yield func(normalize.Candidate, error) bool) {
		for _, m := range imports {
			for _, shard := range m.Shards {
				if slices.Contains(s.lost[m.Import], shard.ID) {
					continue
				}
				key := candidatesKey(m.Owner, m.Import, shard.ID)
				for line, err := range s.lines(ctx, key) {
					var c normalize.Candidate
					if err == nil {
						if c, err = extract.ParseCandidate(line); err != nil {
							err = damaged(key, err)
						}
					}
					if err == nil {
						err = listedAt(&c, m)
					}
					if !yield(c, err) || err != nil {
						return
					}
				}
			}
		}
	}
}

// Edits are the person's own changes.
func (s *stored) Edits(context.Context) iter.Seq2[assemble.Edit, error] {
	return func(yield func(assemble.Edit, error) bool) {
		for _, e := range s.edits {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Previous is the fold index of the head.
func (s *stored) Previous(ctx context.Context) iter.Seq2[assemble.Folded, error] {
	return func(yield func(assemble.Folded, error) bool) {
		if s.head.ExportID == "" {
			return
		}
		key := exportKey(s.owner, s.head.ExportID, ".fold.zst")
		for line, err := range s.lines(ctx, key) {
			var f assemble.Folded
			if err == nil {
				if f, err = assemble.ParseFolded(line); err != nil {
					err = damaged(key, err)
				}
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// lines reads a compressed object of JSON lines. A missing one has none: a shard without candidates, or one that failed.
func (s *stored) lines(ctx context.Context, key string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		rc, _, err := s.Store.Get(ctx, key, blob.Range{})
		if isMissing(err) {
			return
		}
		if err != nil {
			yield(nil, err)
			return
		}
		defer rc.Close()
		z, err := zstd.NewReader(rc, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxWindow))
		if err != nil {
			yield(nil, fmt.Errorf("read %s: %w", key, err))
			return
		}
		defer z.Close()
		r := bufio.NewReaderSize(z, 64<<10)
		for {
			line, err := r.ReadBytes('\n')
			if errors.Is(err, io.EOF) {
				if len(line) > 0 {
					yield(nil, damaged(key, io.ErrUnexpectedEOF))
				}
				return
			}
			if err != nil {
				yield(nil, damaged(key, err))
				return
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}

// Conversations stores new conversation files.
func (s *stored) Conversations(ctx context.Context, files []assemble.File) error {
	items := make([]blob.Item, len(files))
	for i, f := range files {
		items[i] = blob.Item{Key: ownerKey(s.owner, f.Name), Body: f.Body}
	}
	_, err := blob.PutAbsentAll(ctx, s.Store, items)
	if err == nil {
		s.Observe.tell(Event{Stage: StageAssemble, Owner: s.owner, Units: s.written.Add(int64(len(files))), Of: s.expected})
	}
	return err
}
