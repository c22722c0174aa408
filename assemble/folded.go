package assemble

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/pamline/pamline/pamio"
)

// AppendJSON appends the line of a fold index, without its newline. Equal lines have equal bytes.
func (f *Folded) AppendJSON(dst []byte) []byte {
	dst = pamio.AppendString(append(dst, `{"conversation":`...), f.Conversation)
	dst = pamio.AppendString(append(dst, `,"key":`...), f.Key)
	dst = pamio.AppendString(append(dst, `,"ref":`...), f.Ref)
	dst = strconv.AppendInt(append(dst, `,"snapshots":`...), f.Snapshots, 10)
	if f.Conflicts != 0 {
		dst = strconv.AppendInt(append(dst, `,"conflicts":`...), f.Conflicts, 10)
	}
	return append(appendIndexFields(dst, f.Platform, f.Title, f.CreatedAt, f.UpdatedAt, f.Messages, f.Tags), '}')
}

// ParseFolded reads a line of a fold index.
func ParseFolded(line []byte) (Folded, error) {
	var f Folded
	if err := json.Unmarshal(line, &f); err != nil {
		return Folded{}, fmt.Errorf("parse fold index line: %w", err)
	}
	return f, nil
}

func appendIndexFields(dst []byte, platform string, title *string, createdAt, updatedAt string, messages int64, tags []string) []byte {
	dst = pamio.AppendString(append(dst, `,"platform":`...), platform)
	if title != nil {
		dst = pamio.AppendString(append(dst, `,"title":`...), *title)
	}
	dst = pamio.AppendString(append(dst, `,"created_at":`...), createdAt)
	if updatedAt != "" {
		dst = pamio.AppendString(append(dst, `,"updated_at":`...), updatedAt)
	}
	dst = strconv.AppendInt(append(dst, `,"messages":`...), messages, 10)
	if len(tags) > 0 {
		dst = append(dst, `,"tags":[`...)
		for i, t := range tags {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = pamio.AppendString(dst, t)
		}
		dst = append(dst, ']')
	}
	return dst
}

// entry is a conversation of the new store: its line of the fold index and its place in the
// conversation index.
type entry struct {
	Folded
	source   Source
	position int64
}

// newEntry describes the file of a group; the index fields are those of a single snapshot.
func newEntry(g group, key string) entry {
	s := &g[0]
	return entry{
		Folded: Folded{
			Conversation: s.Conversation, Key: key, Snapshots: int64(len(g)),
			Platform: s.Platform, Title: s.Title, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
			Messages: s.Messages, Tags: s.Tags,
		},
		source: s.Source, position: s.Position,
	}
}

func (e *entry) pack(dst []byte) []byte {
	for _, field := range [...]string{
		e.Conversation, e.Key, e.Ref, e.Platform, e.CreatedAt, e.UpdatedAt,
		e.source.ImportedAt, e.source.File, e.source.Checksum,
	} {
		dst = packString(dst, field)
	}
	for _, n := range [...]int64{e.Snapshots, e.Conflicts, e.Messages, e.position} {
		dst = packInt(dst, n)
	}
	return packStrings(packPointer(dst, e.Title), e.Tags)
}

func (u *unpacker) entry() entry {
	var e entry
	for _, field := range [...]*string{
		&e.Conversation, &e.Key, &e.Ref, &e.Platform, &e.CreatedAt, &e.UpdatedAt,
		&e.source.ImportedAt, &e.source.File, &e.source.Checksum,
	} {
		*field = u.string()
	}
	for _, n := range [...]*int64{&e.Snapshots, &e.Conflicts, &e.Messages, &e.position} {
		*n = u.int()
	}
	e.Title = u.pointer()
	e.Tags = u.strings()
	return e
}
