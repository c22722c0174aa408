package assemble

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"strconv"

	"github.com/google/uuid"

	"github.com/pamline/pamline/assemble/fold"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// keyRules is the version of what makes a conversation file out of snapshots, beside the rules of
// folding. A change of either gives every file a new Key.
const keyRules = 1

func (s Source) metadata() *pamio.ImportMetadata {
	return &pamio.ImportMetadata{
		Importer: s.Importer, ImporterVersion: s.ImporterVersion, ImportedAt: s.ImportedAt,
		SourceFile: s.File, SourceChecksum: s.Checksum,
	}
}

// sortKey puts the snapshots of a conversation together, in the total order in which they are
// folded.
func (s *Snapshot) sortKey(dst []byte) []byte {
	for _, field := range [...]string{
		s.Conversation, s.Order, s.Digest,
		s.Source.ImportedAt, s.Source.File, s.Source.Checksum, s.Source.Importer, s.Source.ImporterVersion,
	} {
		dst = tupleString(dst, field)
	}
	return tupleInt(dst, s.Position)
}

func (s *Snapshot) pack(dst []byte) []byte {
	for _, field := range [...]string{
		s.Conversation, s.Order, s.Digest, s.Pack,
		s.Source.File, s.Source.Checksum, s.Source.ImportedAt, s.Source.Importer, s.Source.ImporterVersion,
		s.Platform, s.CreatedAt, s.UpdatedAt,
	} {
		dst = packString(dst, field)
	}
	for _, n := range [...]int64{s.Offset, s.Length, s.Size, s.Position, s.Messages} {
		dst = packInt(dst, n)
	}
	return packStrings(packPointer(dst, s.Title), s.Tags)
}

func (u *unpacker) snapshot() Snapshot {
	var s Snapshot
	for _, field := range [...]*string{
		&s.Conversation, &s.Order, &s.Digest, &s.Pack,
		&s.Source.File, &s.Source.Checksum, &s.Source.ImportedAt, &s.Source.Importer, &s.Source.ImporterVersion,
		&s.Platform, &s.CreatedAt, &s.UpdatedAt,
	} {
		*field = u.string()
	}
	for _, n := range [...]*int64{&s.Offset, &s.Length, &s.Size, &s.Position, &s.Messages} {
		*n = u.int()
	}
	s.Title = u.pointer()
	s.Tags = u.strings()
	return s
}

// check refuses what could not become a conversation file.
func (s *Snapshot) check() error {
	switch {
	case s.Conversation == "":
		return fmt.Errorf("read snapshot index: a conversation has no id (pack %s, offset %d)", s.Pack, s.Offset)
	case !isDigest(s.Digest):
		return fmt.Errorf("read snapshot index: conversation %s: the digest is not a SHA-256 in hex", s.Conversation)
	case s.Offset < 0 || s.Length <= 0:
		return fmt.Errorf("read snapshot index: conversation %s: no such place: offset %d, length %d", s.Conversation, s.Offset, s.Length)
	}
	return nil
}

// group is what is known of one conversation: its distinct snapshots, in the order of folding. The
// first one's source is the earliest contributor, which the file names.
type group []Snapshot

// key identifies the file that the group becomes.
func (g group) key() string {
	b := []byte("conversation file ")
	b = strconv.AppendInt(b, keyRules, 10)
	if len(g) > 1 {
		b = strconv.AppendInt(append(b, '.'), fold.Rules, 10)
	}
	src := g[0].Source
	for _, field := range [...]string{g[0].Conversation, src.ImportedAt, src.File, src.Checksum, src.Importer, src.ImporterVersion} {
		b = tupleString(b, field)
	}
	for i := range g {
		b = tupleString(tupleString(b, g[i].Order), g[i].Digest)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// sortSnapshots reads all snapshots into a sorter.
func sortSnapshots(ctx context.Context, in Input, s *extsort.Sorter, accounts *importAccounts) error {
	var key, value []byte
	for snap, err := range in.Snapshots(ctx) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("read snapshot index: %w", err)
		}
		if err := snap.check(); err != nil {
			return err
		}
		if err := accounts.add(&snap); err != nil {
			return fmt.Errorf("sort snapshots: %w", err)
		}
		key, value = snap.sortKey(key[:0]), snap.pack(value[:0])
		if err := s.Add(key, value); err != nil {
			return fmt.Errorf("sort snapshots: %w", err)
		}
	}
	return nil
}

// groups gives the sorted snapshots a conversation at a time. A digest that comes again is left
// out: a group has one snapshot for each distinct document.
func groups(sorted iter.Seq2[extsort.Record, error]) iter.Seq2[group, error] {
	return func(yield func(group, error) bool) {
		var g group
		seen := map[string]bool{}
		for r, err := range sorted {
			u := unpacker{left: r.Value}
			var s Snapshot
			if err == nil {
				s = u.snapshot()
				err = u.err
			}
			if err != nil {
				yield(nil, fmt.Errorf("sort snapshots: %w", err))
				return
			}
			if len(g) > 0 && g[0].Conversation != s.Conversation {
				if !yield(g, nil) {
					return
				}
				g = nil
				clear(seen)
			}
			if !seen[s.Digest] {
				seen[s.Digest] = true
				g = append(g, s)
			}
		}
		if len(g) > 0 {
			yield(g, nil)
		}
	}
}

// isID tells whether s is a UUID in the form that names files.
func isID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (s[i] == '-') || !dash && !isHex(s[i]) {
			return false
		}
	}
	return true
}

// fileStem is the conversation id as the front of a file name. Ids of other PAM stores may be any
// text: their files are named by a UUID of it.
func fileStem(conversation string) string {
	if isID(conversation) {
		return conversation
	}
	return uuid.NewSHA1(foreignSpace, []byte(conversation)).String()
}

// foreignSpace is the UUIDv5 namespace of file names for conversation ids that are no UUIDs. It is
// frozen.
var foreignSpace = uuid.MustParse("5d1c0c53-6d5f-5b0e-9a44-3e6f0f6b1a72")

func isDigest(s string) bool {
	for i := range len(s) {
		if !isHex(s[i]) {
			return false
		}
	}
	return len(s) == 2*sha256.Size
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }
