package publish

import (
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

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/embed"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// Stored gives the assembler the accepted imports of one owner as they lie in storage, and takes its files.
type Stored struct {
	Options
	gathered *gathered // is the Store of publishOptions
	Owner    string
	Head     state.Head
	// Imports are the manifests of the input set, by import id.
	Imports map[string]state.Manifest
	// past are the manifests of replaced results, by import id.
	past  []state.Manifest
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

func (s *Stored) manifests() []state.Manifest {
	var out []state.Manifest
	for _, id := range slices.Sorted(maps.Keys(s.Imports)) {
		out = append(out, s.Imports[id])
	}
	return out
}

// Snapshots are the lines of all packs.
func (s *Stored) Snapshots(ctx context.Context) iter.Seq2[assemble.Snapshot, error] {
	return func(yield func(assemble.Snapshot, error) bool) {
		for _, m := range s.manifests() {
			for _, shard := range m.Shards {
				for line, err := range state.ShardLines(ctx, s.Store, m, shard) {
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

func (s *Stored) snapshot(m state.Manifest, shard state.Shard, l state.SnapshotLine) (assemble.Snapshot, error) {
	if l.Source < 0 || l.Source >= len(m.Sources) {
		return assemble.Snapshot{}, fault.Permanentf("import the drop again", "read import %s: a snapshot names source %d of %d", m.Import, l.Source, len(m.Sources))
	}
	src := m.Sources[l.Source]
	return assemble.Snapshot{
		Conversation: l.Conversation, Import: m.Import, Order: l.Order, Digest: l.Digest,
		Pack: m.Import + "/" + strconv.Itoa(shard.Pack), Offset: l.Offset, Length: l.Length, Size: l.Size, Position: l.Position,
		Source: assemble.Source{
			File: src.File, Checksum: src.Checksum, ImportedAt: state.DocumentTime(m.Parts[src.Part].Newest),
			Importer: contractName, ImporterVersion: src.Importer,
		},
		Platform: l.Platform, Title: l.Title, CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt, Messages: l.Messages, Tags: l.Tags,
	}, nil
}

func (s *Stored) packKey(pack string) (string, error) {
	id, n, ok := strings.Cut(pack, "/")
	number, err := strconv.Atoi(n)
	if !ok || err != nil {
		return "", fmt.Errorf("read pack: %q names none", pack)
	}
	return state.PackKey(s.Owner, id, number), nil
}

// Read gives one document with a ranged Get.
func (s *Stored) Read(ctx context.Context, snap assemble.Snapshot) ([]byte, error) {
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
		return nil, state.Damaged(key, err)
	}
	doc, err := state.UnpackFrame(nil, frame, snap.Size)
	if err != nil {
		return nil, state.Damaged(key, err)
	}
	return doc, nil
}

// ReadPack gives many documents of one pack with one Get.
func (s *Stored) ReadPack(ctx context.Context, pack string, want []assemble.Snapshot, yield func(assemble.Snapshot, []byte) error) error {
	key, err := s.packKey(pack)
	if err != nil {
		return err
	}
	p, err := state.OpenPack(ctx, s.Store, key)
	if err != nil {
		return err
	}
	defer p.Close()
	for _, snap := range want {
		doc, err := p.Next(snap.Offset, snap.Length, snap.Size)
		if err != nil {
			return err
		}
		if err := yield(snap, doc); err != nil {
			return err
		}
	}
	return nil
}

// Candidates are those of all shards that were extracted.
func (s *Stored) Candidates(ctx context.Context) iter.Seq2[normalize.Candidate, error] {
	return s.candidates(ctx, s.manifests())
}

// Past are the candidates of results that were replaced.
func (s *Stored) Past(ctx context.Context) iter.Seq2[normalize.Candidate, error] {
	return s.candidates(ctx, s.past)
}

func (s *Stored) candidates(ctx context.Context, imports []state.Manifest) iter.Seq2[normalize.Candidate, error] {
	return func(yield func(normalize.Candidate, error) bool) {
		for _, m := range imports {
			for _, shard := range m.Shards {
				if slices.Contains(s.lost[m.Import], shard.ID) {
					continue
				}
				key := state.CandidatesKey(m.Owner, m.Import, shard.ID)
				for line, err := range state.ReadLines(ctx, s.Store, key) {
					var c normalize.Candidate
					if err == nil {
						if c, err = extract.ParseCandidate(line); err != nil {
							err = state.Damaged(key, err)
						}
					}
					if err == nil {
						err = state.ListedAt(&c, m)
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
func (s *Stored) Edits(context.Context) iter.Seq2[assemble.Edit, error] {
	return func(yield func(assemble.Edit, error) bool) {
		for _, e := range s.edits {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Previous is the fold index of the head.
func (s *Stored) Previous(ctx context.Context) iter.Seq2[assemble.Folded, error] {
	return func(yield func(assemble.Folded, error) bool) {
		if s.Head.ExportID == "" {
			return
		}
		key := state.ExportKey(s.Owner, s.Head.ExportID, ".fold.zst")
		for line, err := range state.ReadLines(ctx, s.Store, key) {
			var f assemble.Folded
			if err == nil {
				if f, err = assemble.ParseFolded(line); err != nil {
					err = state.Damaged(key, err)
				}
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// Conversations stores new conversation files.
func (s *Stored) Conversations(ctx context.Context, files []assemble.File) error {
	items := make([]blob.Item, len(files))
	for i, f := range files {
		items[i] = blob.Item{Key: state.OwnerKey(s.Owner, f.Name), Body: f.Body}
	}
	_, err := blob.PutAbsentAll(ctx, s.Store, items)
	if err == nil {
		s.Observe.Tell(telemetry.Event{Stage: telemetry.StageAssemble, Owner: s.Owner, Units: s.written.Add(int64(len(files))), Of: s.expected})
	}
	return err
}

// Vectors are those of all accepted imports.
func (s *Stored) Vectors(ctx context.Context) iter.Seq2[assemble.Vector, error] {
	return func(yield func(assemble.Vector, error) bool) {
		for _, m := range s.manifests() {
			if m.Embeddings == "" {
				continue
			}
			for _, shard := range m.Shards {
				key := state.VectorsKey(m.Owner, m.Import, shard.ID, m.Embeddings)
				for line, err := range state.ReadLines(ctx, s.Store, key) {
					var v embed.Line
					if err == nil {
						if v, err = embed.ParseLine(line); err != nil {
							err = state.Damaged(key, err)
						}
					}
					if !yield(assemble.Vector{Hash: v.Hash, Model: v.Model, Values: v.Vector}, err) || err != nil {
						return
					}
				}
			}
		}
	}
}
