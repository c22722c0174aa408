package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// ConversationDiff is how the conversations of two exports differ.
type ConversationDiff struct {
	Added   Changes[ConversationLine] `json:"added"`
	Changed Changes[ConversationLine] `json:"changed"` // messages, names of files, or fields
	Gone    Changes[ConversationLine] `json:"gone"`    // in no import any more
	// Renamed counts conversations that differ in import_metadata only: in the importer.
	Renamed int64 `json:"same_but_importer"`
}

// ConversationLine is a conversation at a glance.
type ConversationLine struct {
	ID       string `json:"id"`
	Title    string `json:"title,omitempty"`
	Date     string `json:"date"` // of its creation, RFC 3339
	Platform string `json:"platform"`
	Messages int64  `json:"messages"`
	// Before is the number of messages before, TitleBefore the title, if they have changed.
	Before      *int64  `json:"messages_before,omitempty"`
	TitleBefore *string `json:"title_before,omitempty"`
}

func (c *ConversationDiff) count() int64 {
	return c.Added.Count + c.Changed.Count + c.Gone.Count + c.Renamed
}

// read compares the fold indexes of two exports, which name the file of each conversation by its
// content. At most two files are in memory.
func (c *ConversationDiff) read(ctx context.Context, s blob.Store, owner string, before, after state.Head, limit int) error {
	id := func(f assemble.Folded) string { return f.Conversation }
	return sideBySide(publish.FoldIndex(ctx, s, owner, before), publish.FoldIndex(ctx, s, owner, after), id, func(old, now *assemble.Folded) error {
		switch {
		case old == nil:
			c.Added.add(lineOf(*now), limit)
		case now == nil:
			c.Gone.add(lineOf(*old), limit)
		case old.Ref != now.Ref:
			line, was := lineOf(*now), lineOf(*old)
			if was.Messages != line.Messages {
				line.Before = &was.Messages
			}
			if was.Title != line.Title {
				line.TitleBefore = &was.Title
			}
			if line.Before == nil && line.TitleBefore == nil {
				if same, err := sameButImporter(ctx, s, state.OwnerKey(owner, old.Ref), state.OwnerKey(owner, now.Ref)); err != nil {
					return err
				} else if same {
					c.Renamed++
					return nil
				}
			}
			c.Changed.add(line, limit)
		}
		return nil
	})
}

func lineOf(f assemble.Folded) ConversationLine {
	l := ConversationLine{ID: f.Conversation, Date: f.CreatedAt, Platform: f.Platform, Messages: f.Messages}
	if f.Title != nil {
		l.Title = *f.Title
	}
	return l
}

// sameButImporter compares two conversation files without their import_metadata.
func sameButImporter(ctx context.Context, s blob.Store, before, after string) (bool, error) {
	old, err := conversationMembers(ctx, s, before)
	if err != nil {
		return false, err
	}
	now, err := conversationMembers(ctx, s, after)
	if err != nil {
		return false, err
	}
	return maps.EqualFunc(old, now, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }), nil
}

func conversationMembers(ctx context.Context, s blob.Store, key string) (map[string]json.RawMessage, error) {
	body, _, err := objects.ReadVerified(ctx, s, key, "")
	if err != nil {
		return nil, objects.Lost(key, err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, objects.Damaged(key, err)
	}
	delete(members, "import_metadata")
	return members, nil
}
