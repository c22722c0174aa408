package search

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/pamio"
)

// memory brings a memory up to date.
func (u *update) memory(ctx context.Context, e pamio.Element) error {
	m, err := pamio.ParseMemory(e.Raw)
	if err != nil {
		return fmt.Errorf("%s: %w: pamline validate says what is wrong with the store", e.Pointer, err)
	}
	digest := digestOf(e.Raw)
	old, isOld := u.memories.see(m.ID)
	if isOld && old.digest == number(digest) {
		return ctx.Err()
	}
	u.Memories++
	if isOld {
		same, err := u.hasContent(ctx, old.id, m.Content)
		if err == nil && !same {
			err = u.markGone(ctx)
		}
		if err == nil {
			err = u.removeMemory(ctx, old.id)
		}
		if err != nil {
			return err
		}
	}
	id, err := u.freeMemory(ctx, unixTime(m.Temporal.CreatedAt))
	if err != nil {
		return err
	}
	res, err := u.addMemory.ExecContext(ctx, id, m.ID, digest, m.Content, typeName(m), m.Status, m.Provenance.Platform, knownTime(m.Temporal.CreatedAt), unixTime(m.Temporal.CreatedAt),
		m.Provenance.ConversationRef, m.Provenance.MessageRef)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 { // a second memory of that id is a fault of the bundle
		return err
	}
	if _, err := u.addMemoryWords.ExecContext(ctx, id, foldedText(m.Content)); err != nil {
		return err
	}
	return u.commit(ctx, int64(len(m.Content)))
}

// memoryBits are the bits of a memory's id below its time, which tell the memories of a second
// apart.
const memoryBits = 22

// firstMemory is the least id of the memories of a time.
func firstMemory(at int64) int64 { return min(max(at, 0), 1<<40) << memoryBits }

// freeMemory is a free id for a memory of a time. The memories of a crowded second go on in the
// next one.
func (u *update) freeMemory(ctx context.Context, at int64) (id int64, err error) {
	for first := firstMemory(at); ; first += 1 << memoryBits {
		last := first + 1<<memoryBits - 1
		err = u.nextMemory.QueryRowContext(ctx, first, last).Scan(&id)
		if err != nil || id <= last {
			return id, err
		}
	}
}

// hasContent tells whether a memory has the same content as before.
func (u *update) hasContent(ctx context.Context, id int64, content string) (same bool, err error) {
	err = u.conn.QueryRowContext(ctx, `SELECT content = ? FROM memories WHERE id=?`, content, id).Scan(&same)
	return same, err
}

func (u *update) removeMemory(ctx context.Context, id int64) error {
	if err := u.exec(ctx, `DELETE FROM memory_words WHERE rowid=?`, id); err != nil {
		return err
	}
	if err := u.exec(ctx, `DELETE FROM vectors WHERE id=?`, id); err != nil {
		return err
	}
	return u.exec(ctx, `DELETE FROM memories WHERE id=?`, id)
}

func typeName(m *pamio.Memory) string {
	if m.Type == "custom" && m.CustomType != "" {
		return m.CustomType
	}
	return m.Type
}

// conversation brings a conversation up to date: one whose reference, title and platform are the
// same is not read. The others come later, in the order of their times.
func (u *update) conversation(ctx context.Context, e pamio.Element) error {
	entry, err := pamio.ParseIndexEntry(e.Raw)
	if err != nil {
		return fmt.Errorf("%s: %w: pamline validate says what is wrong with the store", e.Pointer, err)
	}
	title, ref := placeOf(entry)
	if old, ok := u.talks.see(entry.ID); ok && isContentName(ref) && old.digest == number(digestOf([]byte(ref), []byte(title), []byte(entry.Platform))) {
		u.count()
		return ctx.Err()
	}
	return u.changed.Add(fmt.Appendf(nil, "%020d%s", max(0, unixTime(entry.Temporal.CreatedAt), unixTime(entry.Temporal.UpdatedAt)), entry.ID), e.Raw)
}

// count counts a conversation that is up to date.
func (u *update) count() {
	if u.seen++; u.progress != nil {
		u.progress(u.seen)
	}
}

// placeOf is the title of a conversation, and where its file is.
func placeOf(entry *pamio.IndexEntry) (title, ref string) {
	if entry.Title != nil {
		title = *entry.Title
	}
	if s := entry.Storage; s != nil && s.Type == "file" {
		ref = s.Ref
	}
	return title, ref
}

// forget removes what the index has of a conversation, and notices what it says no longer.
func (u *update) forget(ctx context.Context, name, title string, texts []byte) error {
	var base, messages int64
	var oldTitle string
	var oldTexts []byte
	err := u.conn.QueryRowContext(ctx, `SELECT base, messages, title, texts FROM conversations WHERE name=?`, name).Scan(&base, &messages, &oldTitle, &oldTexts)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil && (oldTitle != title && oldTitle != "" || !hasTexts(texts, oldTexts)) {
		err = u.markGone(ctx)
	}
	if err == nil {
		err = u.removeConversation(ctx, base, messages)
	}
	return err
}

// isContentName tells whether the file's name has a digest of its content, as pamline writes it:
// conversations/<id>.<16 hex>.json. A file of another name may change without changing its name.
func isContentName(ref string) bool {
	name, ok := strings.CutSuffix(ref, ".json")
	dot := strings.LastIndexByte(name, '.')
	if !ok || dot < 0 || len(name)-dot-1 != 16 {
		return false
	}
	return strings.Trim(name[dot+1:], "0123456789abcdef") == ""
}

// removeConversation removes a conversation with its rows.
func (u *update) removeConversation(ctx context.Context, base, messages int64) error {
	for row := base; row <= base+messages; row++ {
		if err := u.exec(ctx, `DELETE FROM words WHERE rowid=?`, row); err != nil {
			return err
		}
	}
	if err := u.exec(ctx, `DELETE FROM pairs WHERE base=?`, base); err != nil {
		return err
	}
	return u.exec(ctx, `DELETE FROM conversations WHERE base=?`, base)
}

// hasTexts tells whether all texts of before are still said.
func hasTexts(texts, before []byte) bool {
	now := make(map[uint64]bool, len(texts)/8)
	for ; len(texts) >= 8; texts = texts[8:] {
		now[binary.BigEndian.Uint64(texts)] = true
	}
	for ; len(before) >= 8; before = before[8:] {
		if !now[binary.BigEndian.Uint64(before)] {
			return false
		}
	}
	return true
}
