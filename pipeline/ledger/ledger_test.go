package ledger_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/statetest"
)

func change(t *testing.T, s *statetest.Store, owner string, e func(*ledger.Ledger) ledger.Entry) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Change(t.Context(), s, owner, func() string { return "secret of " + owner }, func(l *ledger.Ledger) { l.Entries = append(l.Entries, e(l)) })
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestAnOwnerWithoutErasuresHasErasedNothing(t *testing.T) {
	t.Parallel()
	l, tag, err := ledger.Read(t.Context(), statetest.New(), "ann")
	if err != nil || tag != "" || !l.IsEmpty() || l.Has(ledger.Drop, "d") || l.HasConversation("c", "") || l.HasRecord("r", "") {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestARecordComesBackIfItIsSaidLater(t *testing.T) {
	t.Parallel()
	l := change(t, statetest.New(), "ann", func(l *ledger.Ledger) ledger.Entry {
		return ledger.Entry{At: "2026-01-01T00:00:00Z", Keys: []string{l.Key(ledger.Record, "Likes  plums")}}
	})
	for at, want := range map[string]bool{"": true, "2025-12-31T23:59:59Z": true, "2026-01-01T00:00:01Z": false} {
		if got := l.HasRecord("likes plums", at); got != want {
			t.Errorf("said at %q: %v", at, got)
		}
	}
	if l.HasRecord("Likes pears", "") {
		t.Error("another record is erased")
	}
}

// A ledger that was lost or rolled back would bring back what was erased.
func TestALedgerWithoutAnErasureThatHasAReceiptIsDamaged(t *testing.T) {
	t.Parallel()
	s := statetest.New()
	end := func(receipts int) *ledger.Ledger {
		if err := objects.PutJSON(t.Context(), s, ledger.ReceiptKey("ann", receipts), map[string]int{"v": 1}); err != nil {
			t.Fatal(err)
		}
		l, err := ledger.Change(t.Context(), s, "ann", func() string { return "x" }, func(l *ledger.Ledger) { l.Entries[receipts-1].Done, l.Receipts = true, receipts })
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	wish := func(*ledger.Ledger) ledger.Entry { return ledger.Entry{At: "2026-01-01T00:00:00Z", All: true} }
	change(t, s, "ann", wish)
	end(1)
	earlier, _ := s.Body(ledger.ObjectKey("ann"))
	change(t, s, "ann", wish)
	end(2)
	if _, _, err := ledger.Read(t.Context(), s, "ann"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), ledger.ObjectKey("ann"), strings.NewReader(earlier), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ledger.Read(t.Context(), s, "ann"); !errors.Is(err, objects.ErrDamaged) {
		t.Errorf("an earlier version: %v", err)
	}
	if err := s.Delete(t.Context(), ledger.ObjectKey("ann")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ledger.Read(t.Context(), s, "ann"); !errors.Is(err, objects.ErrDamaged) {
		t.Errorf("no ledger: %v", err)
	}
}

func TestAfterTheErasureOfAnOwnerWhatIsNewerStays(t *testing.T) {
	t.Parallel()
	l := change(t, statetest.New(), "ann", func(*ledger.Ledger) ledger.Entry { return ledger.Entry{At: "2026-01-01T00:00:00Z", All: true} })
	if !l.HasConversation("c", "2025-01-01T00:00:00Z") || !l.HasConversation("c", "1970-01-01T00:00:00Z") || l.HasConversation("c", "2026-02-01T00:00:00Z") {
		t.Error("the time of the erasure does not decide")
	}
}

func TestAMemoryOfAnotherStoreStaysErasedUnderItsID(t *testing.T) {
	t.Parallel()
	l := change(t, statetest.New(), "ann", func(l *ledger.Ledger) ledger.Entry {
		return ledger.Entry{At: "2026-01-01T00:00:00Z", Keys: []string{l.Key(ledger.Memory, "ep_1")}}
	})
	if !l.HasMemory("ep_1", "2025-05-01T00:00:00Z") || !l.HasMemory("ep_1", "") || l.HasMemory("ep_1", "2026-01-01T00:00:01Z") || l.HasMemory("ep_2", "") || l.HasMemory("", "") {
		t.Error("id and time do not decide")
	}
}

func TestALedgerHoldsNoNames(t *testing.T) {
	t.Parallel()
	s := statetest.New()
	entry := func(l *ledger.Ledger) ledger.Entry {
		return ledger.Entry{At: "2026-01-01T00:00:00Z", Keys: []string{l.Key(ledger.Conversation, "conversation-one"), l.Key(ledger.Record, "Likes plums")}}
	}
	a, b := change(t, s, "ann", entry), change(t, s, "bob", entry)
	if a.Entries[0].Keys[0] == b.Entries[0].Keys[0] {
		t.Error("two owners have equal keys")
	}
	body, _ := s.Body(ledger.ObjectKey("ann"))
	if strings.Contains(body, "conversation-one") || strings.Contains(body, "plums") {
		t.Errorf("%s", body)
	}
	if got, _, err := ledger.Read(t.Context(), s, "ann"); err != nil || !got.Has(ledger.Conversation, "conversation-one") {
		t.Errorf("%+v, %v", got, err)
	}
}
