package convert

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Erasures say when something was erased at its owner's request, "" if it was not. said is the time
// of what is asked about.
type Erasures interface {
	MemoryErased(id, text, said string) string
	ConversationErased(id, said string) string
	FileErased(path string) string
}

// sinceOut makes the tombstones of a new bundle from an earlier one: its ids are in the hands of
// whoever has that bundle, so that nobody needs to keep them for the time in between.
type sinceOut struct {
	*memOut
	key ed25519.PrivateKey
	// erased are the rows that get a tombstone, with the times of their erasure.
	erased []erasedRow
	// named are the tombstones that the new bundle has, by id, and the rows that they name.
	named map[string]bool
	gone  int64
}

type erasedRow struct{ kind, key, at string }

// addTombstones checks the earlier bundle, keeps its tombstones, and adds one for each of its rows
// that was erased.
func (c *memOut) addTombstones(ctx context.Context, key ed25519.PrivateKey) error {
	s := &sinceOut{memOut: c, key: key, named: map[string]bool{}}
	var old [][]byte
	_, _, err := mem.ReadTombstones(ctx, c.o.Since, mem.MergeOptions{AcceptUnsigned: true, Scratch: c.o.Scratch}, func(line []byte) error {
		old = append(old, append([]byte{}, line...))
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the earlier bundle: %w", err)
	}
	for r, err := range c.shadows.Sorted() { // those that the store has itself
		if err != nil {
			return err
		}
		if string(r.Key[:len(r.Key)-9]) == mem.Tombstone {
			s.noteRow(r.Value)
		}
	}
	for _, line := range old {
		if err := s.keepRow(line); err != nil {
			return err
		}
	}
	for _, path := range c.o.Since.Streams() {
		if err := s.addErased(ctx, path); err != nil {
			return fmt.Errorf("read the earlier bundle: %w", err)
		}
	}
	if err := s.writeTombstones(); err != nil {
		return err
	}
	if s.gone > 0 {
		c.report.Notes = append(c.report.Notes, fmt.Sprintf("%d rows of the earlier bundle are not in the store any more and were not erased: they have no tombstones", s.gone))
	}
	return nil
}

// noteRow remembers what a tombstone names.
func (s *sinceOut) noteRow(line []byte) (kind, key string, isNew bool) {
	d, err := jsonscan.Parse(line, 0)
	if err != nil {
		return "", "", false
	}
	n := d.Root()
	kind, key = n.Get("targetKind").Str(), n.Get("targetID").Str()
	id := "id\x00" + n.Get("id").Str()
	isNew = !s.named[id]
	s.named[id], s.named[kind+"\x00"+key] = true, true
	return kind, key, isNew
}

// keepRow keeps a tombstone of the earlier bundle, unless its row is there again: a memory that is
// stated again after it was erased has the id that it had.
func (s *sinceOut) keepRow(line []byte) error {
	d, err := jsonscan.Parse(line, 0)
	if err != nil {
		return err
	}
	if s.w.Has(d.Root().Get("targetKind").Str(), d.Root().Get("targetID").Str()) {
		s.report.lose("tombstones of rows that are there again", 1)
		return nil
	}
	if _, _, isNew := s.noteRow(line); !isNew {
		return nil
	}
	return s.w.Add(mem.Tombstone, line)
}

// addErased adds the tombstones of the rows of a stream.
func (s *sinceOut) addErased(ctx context.Context, path string) error {
	for r, err := range s.o.Since.Records(path) {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		d, err := jsonscan.Parse(r.Line, 0)
		if err != nil || r.Kind == mem.Tombstone || r.Kind == mem.Audit || r.Kind == mem.ProvenanceEdge {
			continue
		}
		key, at := s.erasedAt(r.Kind, d.Root())
		switch {
		case key == "" || s.w.Has(r.Kind, key) || s.named[r.Kind+"\x00"+key] || s.withheld[key]:
		case at == "":
			if mem.IsNative(r.Kind) && !s.dependsOnNamed(r.Kind, r.Line) {
				s.gone++
			}
		default:
			s.erased = append(s.erased, erasedRow{r.Kind, key, at})
			s.named[r.Kind+"\x00"+key] = true
		}
	}
	return nil
}

// dependsOnNamed tells whether a row goes with one that a tombstone names.
func (s *sinceOut) dependsOnNamed(kind string, line []byte) bool {
	fate, _ := mem.LedgerOf(func(kind, key string) bool { return s.named[kind+"\x00"+key] }).Judge(kind, line)
	return fate != mem.Kept
}

// erasedAt says when a row of the earlier bundle was erased, "" if it was not. key is what a
// tombstone names it by, "" if it goes with another row.
func (s *sinceOut) erasedAt(kind string, n jsonscan.Node) (key, at string) {
	key = mem.KeyOf(kind, n)
	switch kind {
	case "episode":
		said := n.Get("mentionTime").Str()
		at = s.o.Erased.MemoryErased(key, n.Get("details").Str(), said)
		if ref := n.Get("contextID").Str(); at == "" && ref != "" {
			at = s.o.Erased.ConversationErased(ref, said)
		}
		return key, at
	case "context", streamConversation, streamDocument:
		return key, s.o.Erased.ConversationErased(key, n.Get("createdAt").Str())
	case streamFile:
		return key, s.o.Erased.FileErased(key)
	case streamRelation, streamEmbedding, streamStore, "episodeLink", "factLink":
		return "", "" // they go with the rows that they name
	}
	p, known := projections[kind]
	if key == "" || !known {
		return key, s.o.Erased.MemoryErased(recordID(kind, key), "", "")
	}
	return key, s.o.Erased.MemoryErased(recordID(kind, key), n.Get(p.content).Str(), n.Get(p.created).Str())
}

// writeTombstones adds the tombstones. Of what goes with a row, a tombstone counts the links alone:
// relations and vectors are told by their episodes, and the keys of caches would be digests of
// text.
func (s *sinceOut) writeTombstones() error {
	links := map[string]int64{}
	for _, row := range s.erased {
		if row.kind == "episode" {
			links[row.key] = 0
		}
	}
	if s.o.Since.Manifest.Counts["episodeLink"] > 0 && len(links) > 0 {
		for r, err := range s.o.Since.Records(mem.PathOf("episodeLink")) {
			if err != nil {
				return fmt.Errorf("read the earlier bundle: %w", err)
			}
			d, err := jsonscan.Parse(r.Line, 0)
			if err != nil {
				return fmt.Errorf("read the earlier bundle: %w", err)
			}
			for _, end := range []string{"srcEpisodeID", "dstEpisodeID"} {
				if _, goes := links[d.Root().Get(end).Str()]; goes {
					links[d.Root().Get(end).Str()]++
				}
			}
		}
	}
	none := []string{}
	for _, row := range s.erased {
		line, err := json.Marshal(map[string]any{
			"id": uuid.NewSHA1(uuid.NameSpaceOID, []byte("tombstone\x00"+row.kind+"\x00"+row.key+"\x00"+row.at)).String(), "op": "delete", "targetKind": row.kind,
			"targetID": row.key, "deletedAt": memTime(row.at), "actor": "owner",
			"derived": map[string]any{
				"sentenceIDs": none, "factIDs": none, "edgeIDs": none, "entityIDs": none, "chunkIDs": none, "embeddingCacheKeys": none, "episodeLinkCount": links[row.key],
			},
		})
		if err == nil && s.key != nil {
			line, err = mem.SignTombstone(line, s.key)
		}
		if err == nil {
			err = s.w.Add(mem.Tombstone, line)
		}
		if err != nil {
			return fmt.Errorf("write tombstone: %w", err)
		}
	}
	return nil
}
