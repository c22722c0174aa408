package assemble

import (
	"context"
	"errors"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
)

// broken is an Input with faults.
type broken struct {
	*storage
	read func(ctx context.Context, pack string, want []Snapshot, yield func(Snapshot, []byte) error) error
	list func() iter.Seq2[Snapshot, error]
}

func (b broken) ReadPack(ctx context.Context, pack string, want []Snapshot, yield func(Snapshot, []byte) error) error {
	if b.read == nil {
		return b.storage.ReadPack(ctx, pack, want, yield)
	}
	return b.read(ctx, pack, want, yield)
}

func (b broken) Snapshots(ctx context.Context) iter.Seq2[Snapshot, error] {
	if b.list == nil {
		return b.storage.Snapshots(ctx)
	}
	return b.list()
}

func TestFaultsAreReportedAndLeaveNoScratch(t *testing.T) {
	fault := errors.New("a fault")
	filled := func() *storage {
		s := newStorage()
		s.add(newArchive("a.json", day1, conversation(1, day1, "a:x"), conversation(2, day1, "a:x")),
			newArchive("b.json", day2, conversation(2, day2, "a:x", "b:y")))
		return s
	}
	for _, tt := range []struct {
		name string
		in   func(s *storage) Input
		want string
	}{
		{"the list of snapshots", func(s *storage) Input {
			return broken{storage: s, list: func() iter.Seq2[Snapshot, error] {
				return func(yield func(Snapshot, error) bool) { yield(Snapshot{}, fault) }
			}}
		}, "read snapshot index: a fault"},
		{"a pack", func(s *storage) Input {
			return broken{storage: s, read: func(context.Context, string, []Snapshot, func(Snapshot, []byte) error) error { return fault }}
		}, "a fault"},
		{"a pack that gives too little", func(s *storage) Input {
			return broken{storage: s, read: func(context.Context, string, []Snapshot, func(Snapshot, []byte) error) error { return nil }}
		}, "only 0 of 1 documents came"},
		{"a pack that gives something else", func(s *storage) Input {
			return broken{storage: s, read: func(_ context.Context, _ string, want []Snapshot, yield func(Snapshot, []byte) error) error {
				want[0].Digest = strings.Repeat("0", 64)
				return yield(want[0], []byte("{}"))
			}}
		}, "that was not asked for"},
		{"a damaged document", func(s *storage) Input {
			for _, p := range s.packs {
				p[len(p)/2] ^= 1
			}
			return s
		}, "storage is damaged"},
		{"a damaged document to fold", func(s *storage) Input {
			s.snapshots = s.snapshots[1:]
			for _, p := range s.packs {
				p[len(p)-20] ^= 1
			}
			return s
		}, "storage is damaged"},
		{"storing", func(s *storage) Input { s.fail = fault; return s }, "conversation files: a fault"},
		{"a conversation without an id", func(s *storage) Input { s.snapshots[0].Conversation = ""; return s }, "has no id"},
		{"a digest that is none", func(s *storage) Input { s.snapshots[0].Digest = "abc"; return s }, "not a SHA-256"},
		{"no length", func(s *storage) Input { s.snapshots[0].Length = 0; return s }, "no such place"},
		{"a fold index out of order", func(s *storage) Input {
			s.previous = []Folded{{Conversation: "b"}, {Conversation: "a"}}
			return s
		}, "do not ascend"},
		{"two conversations in one place", func(s *storage) Input {
			other := s.snapshots[0]
			other.Conversation = normalize.ConversationID("chatgpt", "other")
			s.snapshots = append(s.snapshots, other)
			return s
		}, "lie at the same offset"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for workers := 1; workers <= 3; workers++ {
				s, scratch := filled(), t.TempDir()
				r, err := Assemble(context.Background(), tt.in(s), s, Options{Scratch: scratch, Workers: workers, Budget: 1})
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Fatalf("err = %v, want %q", err, tt.want)
				}
				if r != nil {
					t.Error("there is a result beside the error")
				}
				if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
					t.Errorf("scratch holds %v (%v)", left, err)
				}
			}
		})
	}
}

func TestCancellingStopsTheAssembly(t *testing.T) {
	s := newStorage()
	s.add(newArchive("a.json", day1, conversation(1, day1, "a:x")))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Assemble(ctx, s, s, Options{Scratch: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}
