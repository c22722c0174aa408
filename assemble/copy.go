package assemble

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"github.com/pamline/pamline/assemble/fold"
	"github.com/pamline/pamline/pamio"
)

// copyMany makes files of snapshots that stand alone in their conversation: the document as it is,
// with import_metadata.
func (c *conversations) copyMany(ctx context.Context, b *batch, copies []copied) error {
	want := make([]Snapshot, len(copies))
	var longest int64
	for i := range copies {
		want[i] = copies[i].snapshot
		longest = max(longest, want[i].memory())
	}
	release, err := c.admit(ctx, longest)
	if err != nil {
		return err
	}
	defer release()
	pack, done := want[0].Pack, 0
	err = c.in.ReadPack(ctx, pack, want, func(s Snapshot, doc []byte) error {
		if done == len(copies) || s.Conversation != copies[done].snapshot.Conversation || s.Digest != copies[done].snapshot.Digest {
			return fmt.Errorf("a document of conversation %s came that was not asked for", s.Conversation)
		}
		err := c.copyOne(ctx, b, &copies[done], doc)
		done++
		return err
	})
	if err == nil && done < len(copies) {
		err = fmt.Errorf("only %d of %d documents came", done, len(copies))
	}
	if err != nil {
		return fmt.Errorf("read pack %s: %w", pack, err)
	}
	return nil
}

func (c *conversations) copyOne(ctx context.Context, b *batch, one *copied, doc []byte) error {
	s := &one.snapshot
	if len(doc) < 2 || doc[len(doc)-1] != '}' {
		return damaged(s)
	}
	sum, err := b.splice(ctx, doc, s.Source.metadata(), s.Digest)
	if err != nil {
		return fmt.Errorf("conversation %s: %w", s.Conversation, err)
	}
	return c.finish(b, &one.entry, int64(len(doc)), sum)
}

// foldOne makes a file of several snapshots.
func (c *conversations) foldOne(ctx context.Context, b *batch, g group, e entry) error {
	var size int64
	for i := range g {
		size += g[i].memory()
	}
	// Parsed documents take several times their text; equal messages of several snapshots are held
	// once.
	release, err := c.admit(ctx, 4*size)
	if err != nil {
		return err
	}
	defer release()
	var f fold.Folder
	for i := range g {
		doc, err := c.in.Read(ctx, g[i])
		if err != nil {
			return fmt.Errorf("read conversation %s (pack %s, offset %d): %w", g[i].Conversation, g[i].Pack, g[i].Offset, err)
		}
		if sum := sha256.Sum256(doc); hex.EncodeToString(sum[:]) != g[i].Digest {
			return damaged(&g[i])
		}
		parsed, err := pamio.ParseConversation(doc)
		if err != nil {
			return fmt.Errorf("fold conversation %s: %w", e.Conversation, err)
		}
		if parsed.ID != e.Conversation {
			return fmt.Errorf("fold conversation %s: a snapshot of it holds conversation %q", e.Conversation, parsed.ID)
		}
		if err := f.Add(g[i].Order, parsed); err != nil {
			return err
		}
	}
	doc, conflicts, err := f.Result()
	if err != nil {
		return err
	}
	if err := doc.Check(); err != nil {
		return fmt.Errorf("fold conversation %s: %w", e.Conversation, err)
	}
	e.Conflicts = conflicts
	e.Platform, e.Title, e.Tags = doc.Provider.Name, doc.Title, doc.Tags
	e.CreatedAt, e.UpdatedAt, e.Messages = doc.Temporal.CreatedAt, doc.Temporal.UpdatedAt, int64(len(doc.Messages))
	doc.Import = g[0].Source.metadata()
	sum, err := b.write(ctx, doc)
	if err != nil {
		return err
	}
	return c.finish(b, &e, size, sum)
}

// finish names the file that the batch holds last, and keeps its entry.
func (c *conversations) finish(b *batch, e *entry, read int64, sum [sha256.Size]byte) error {
	e.Ref = pamio.ConversationsFolder + "/" + fileStem(e.Conversation) + "." + hex.EncodeToString(sum[:8]) + ".json"
	written := b.name(e.Ref)
	return c.entries.addMade(e, read, written, c.stats)
}

func damaged(s *Snapshot) error {
	return fmt.Errorf("conversation %s in pack %s at offset %d is not what was stored: its digest differs "+
		"(the storage is damaged; process the drop again)", s.Conversation, s.Pack, s.Offset)
}

// spliced hashes a document and the file made of it, which share all but the last byte of the
// document, in one pass.
func spliced(doc, file []byte) (docSum, fileSum [sha256.Size]byte, err error) {
	shared := len(doc) - 1
	h := sha256.New()
	h.Write(doc[:shared])
	clone, err := h.(hash.Cloner).Clone()
	if err != nil {
		return docSum, fileSum, fmt.Errorf("hash document: %w", err)
	}
	clone.Write(doc[shared:])
	h.Write(file[shared:])
	clone.Sum(docSum[:0])
	h.Sum(fileSum[:0])
	return docSum, fileSum, nil
}
