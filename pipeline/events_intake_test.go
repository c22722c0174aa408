package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// dam is a store that lets nothing about one owner's inbox through until it is opened.
type dam struct {
	*shelf
	owner string
	all   bool // nothing about anybody's
	open  chan struct{}
	// heads are the requests that came for its objects, looks the listings of it.
	heads, looks atomic.Int64
	// failing is how many listings of it meet an outage.
	failing atomic.Int64
	// out is what all requests about the inbox get; nil: nothing is wrong.
	out error
}

func (d *dam) wait(ctx context.Context) error {
	select {
	case <-d.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *dam) Head(ctx context.Context, key string) (o blob.Object, err error) {
	if d.out != nil && strings.HasPrefix(key, state.InboxRoot) {
		return o, d.out
	}
	if strings.HasPrefix(key, state.InboxPrefix(d.owner)) || d.all && strings.HasPrefix(key, state.InboxRoot) {
		d.heads.Add(1)
		if err := d.wait(ctx); err != nil {
			return o, err
		}
	}
	return d.shelf.Head(ctx, key)
}

// ListAll tells what was there when it was asked.
func (d *dam) ListAll(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	list := d.shelf.ListAll(ctx, prefix)
	if prefix != state.InboxPrefix(d.owner) {
		return list
	}
	d.looks.Add(1)
	if err := d.wait(ctx); err != nil {
		return func(yield func(blob.Object, error) bool) { yield(blob.Object{}, err) }
	}
	if d.failing.Add(-1) >= 0 {
		return func(yield func(blob.Object, error) bool) { yield(blob.Object{}, errors.New("connection refused")) }
	}
	return list
}

// damned is an intake whose store holds back whatever is about ann's inbox.
func damned(t *testing.T) (*intake, *dam) {
	t.Helper()
	d, s := inboxDeps(t)
	store := &dam{shelf: s, owner: "ann", open: make(chan struct{})}
	d.Store, d.Log = store, zap.NewNop()
	w, err := newImpatient(d, broker(t))
	if err != nil {
		t.Fatal(err)
	}
	return startIntake(t, w), store
}

// queuedOf are the keys of an owner's that wait to be taken.
func queuedOf(t *testing.T, js jetstream.JetStream, owner string) map[string]int {
	t.Helper()
	s, err := js.Stream(t.Context(), StreamTake)
	if err != nil {
		t.Fatal(err)
	}
	phase, out := s.CachedInfo().State, map[string]int{}
	for seq := phase.FirstSeq; phase.Msgs > 0 && seq <= phase.LastSeq; seq++ {
		m, err := s.GetMsg(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		task, err := decodeTask[TakeTask](m.Data)
		if err != nil {
			t.Error(err)
		}
		if task.Owner == owner {
			out[task.Key]++
		}
	}
	return out
}

func allSaid(t *testing.T, slips []*slip, want string) {
	t.Helper()
	for i, s := range slips {
		if got := s.said(); got != want {
			t.Fatalf("notification %d of %d was answered with %q, want %q", i, len(slips), got, want)
		}
	}
}

func TestFloodOfOneOwnersNotificationsDoesNotDelayAnothers(t *testing.T) {
	in, store := damned(t)
	var ann []*slip
	for i := range 10_000 {
		ann = append(ann, slipOf(fmt.Sprintf("inbox/ann/%d.zip", i)))
		in.Accept(ann[i])
	}
	store.put(t, "inbox/bob/export.zip", "x")
	bob := slipOf("inbox/bob/export.zip")
	in.Accept(bob)
	eventually(t, func() bool { return bob.said() == "ack" })
	if got := queuedOf(t, in.w.js, "bob"); len(got) != 1 {
		t.Errorf("bob's drop is not queued: %v", got)
	}
	if heads, looks := store.heads.Load(), store.looks.Load(); heads > turnWide || looks > 1 {
		t.Errorf("%d requests for ann's objects and %d looks were begun before", heads, looks)
	}
	if n := in.inHand(); n > inboxMost+turnHints+2 {
		t.Errorf("%d of ann's notifications are in hand", n)
	}
	eventually(t, func() bool { return in.beaten() == in.inHand() }) // bob's may be about to leave
	close(store.open)
	in.settled(t)
	allSaid(t, ann, "ack")
	if n := in.beaten(); n != 0 {
		t.Errorf("%d are kept that are nobody's any more", n)
	}
}

func TestNotificationsOfManyOwnersAreSeenToSideBySide(t *testing.T) {
	in, store := damned(t)
	store.all = true
	var slips []*slip
	for i := range turnsMost + 10 {
		key := fmt.Sprintf("inbox/owner%d/a.zip", i)
		store.put(t, key, "x")
		slips = append(slips, slipOf(key))
		in.Accept(slips[i])
	}
	eventually(t, func() bool { return store.heads.Load() == turnsMost }) // none of them can end before
	close(store.open)
	in.settled(t)
	allSaid(t, slips, "ack")
	if n := queuedIn(t, in.w.js, StreamTake); n != len(slips) {
		t.Errorf("%d of %d are queued", n, len(slips))
	}
}

func TestManyOwnersFloodsLeaveRoomForOthers(t *testing.T) {
	in, store := damned(t)
	close(store.open)
	store.out = &fault.Fault{Class: fault.Outage, Err: errors.New("out")}
	in.w.gates[telemetry.StageEvents].left(true, Backoff{First: 1 << 40, Max: 1 << 40}) // nobody gets a turn
	for i := range 100 * 24 {
		in.Accept(slipOf(fmt.Sprintf("inbox/owner%d/%d.zip", i%100, i)))
		if in.full() {
			t.Fatalf("full after %d notifications of 100 owners", i+1)
		}
	}
	if most := eventsMost/2 + 100*2; in.inHand() > most {
		t.Errorf("%d are in hand, want %d at most", in.inHand(), most)
	}
	for i := 0; !in.full(); i++ {
		if i > eventsMost {
			t.Fatal("it is never full")
		}
		in.Accept(slipOf(fmt.Sprintf("inbox/one%d/a.zip", i)))
	}
	if in.inHand() > eventsMost {
		t.Errorf("%d are in hand", in.inHand())
	}
}

func TestOwnerWithManyNotificationsIsLookedThrough(t *testing.T) {
	in, store := damned(t)
	const drops = 150
	want := map[string]bool{"inbox/ann/folder/": true}
	var slips []*slip
	for i := range drops {
		key := fmt.Sprintf("inbox/ann/%d.zip", i)
		store.put(t, key, "x")
		want[key] = true
		slips = append(slips, slipOf(key))
	}
	// What lies beside is no business of this look.
	for _, key := range []string{"inbox/ann/folder/x.json", "inbox/ann/folder/_COMPLETE", "inbox/ann/growing/x.json", "inbox/ann/a.part", "inbox/ann-b/a.zip",
		"inbox/ann_b/a.zip", "inbox/anna/a.zip", "inbox/ann.zip", "inbox/Ann/a.zip", "inbox/ann/" + state.Digest("x") + "/drop.json", "owners/ann/head.json"} {
		store.put(t, key, "x")
	}
	for _, s := range slips {
		in.Accept(s)
	}
	close(store.open)
	in.settled(t)
	allSaid(t, slips, "ack")
	got := queuedOf(t, in.w.js, "ann")
	for key := range want {
		if got[key] == 0 {
			t.Errorf("%s was not asked for", key)
		}
	}
	if len(got) != len(want) || queuedIn(t, in.w.js, StreamTake) > len(want)+turnHints {
		t.Errorf("%d things in %d tasks are queued, want %d: %v", len(got), queuedIn(t, in.w.js, StreamTake), len(want), got)
	}
	small, err := queuedSubjects(t.Context(), in.w.js, StreamTake, "pam.take.small.ann.>")
	if err != nil || len(small) > 2*DefaultOwnerSmall { // the first turn and the look may have looked at the same moment
		t.Errorf("%d stand in the small lane, %v", len(small), err)
	}
	// When all are taken, the next look asks for nothing.
	drain(t, in.w.Deps, in.w.js)
	asked, queued, err := lookThrough(t.Context(), in.w.Deps, ownerInbox{owner: "ann"}, in.ask())
	if err != nil || asked+queued != 0 {
		t.Errorf("%d asked for, %d queued, %v", asked, queued, err)
	}
}

func TestLookThroughTheRootIsOfItsOwnerAlone(t *testing.T) {
	in, store := damned(t)
	for _, key := range []string{"inbox/a.zip", "inbox/b.zip", "inbox/me/c.zip", "inbox/ann/d.zip", "inbox/Not An Owner/e.zip", "inbox/.hidden"} {
		store.put(t, key, "x")
	}
	var got []string
	ask := func(_ context.Context, task TakeTask) (bool, error) {
		got = append(got, task.Owner+" "+task.Key)
		return false, nil
	}
	if _, _, err := lookThrough(t.Context(), in.w.Deps, ownerInbox{"me", true}, ask); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != "[me inbox/a.zip me inbox/b.zip]" {
		t.Error(got)
	}
	task := TakeTask{V: state.MessageVersion, Owner: "me", Key: "inbox/a.zip", Lane: state.LaneSmall}
	if _, err := takeOne(t, in.w.Deps, task); err != nil && fault.Of(err) != fault.Permanent {
		t.Fatal(err)
	}
	got = nil
	if _, _, err := lookThrough(t.Context(), in.w.Deps, ownerInbox{"me", true}, ask); err != nil || fmt.Sprint(got) != "[me inbox/b.zip]" {
		t.Error(got, err)
	}
}

func TestNotificationsThatComeWhileALookRunsAskForOneMore(t *testing.T) {
	in, store := damned(t)
	var slips []*slip
	tell := func(name string) {
		store.put(t, "inbox/ann/"+name, "x")
		slips = append(slips, slipOf("inbox/ann/"+name))
		in.Accept(slips[len(slips)-1])
	}
	for i := range inboxMost + turnHints + 1 {
		tell(fmt.Sprint(i))
	}
	eventually(t, func() bool { return store.looks.Load() == 1 }) // and it has its list already
	for i := range 20 {
		tell(fmt.Sprint("late", i))
	}
	close(store.open)
	in.settled(t)
	allSaid(t, slips, "ack")
	if got := queuedOf(t, in.w.js, "ann"); len(got) != len(slips) {
		t.Errorf("%d of %d are queued", len(got), len(slips))
	}
	if n := store.looks.Load(); n != 2 {
		t.Errorf("looked %d times, want 2", n)
	}
	// The flood is over: the next one is seen to alone.
	tell("after")
	in.settled(t)
	if n := store.looks.Load(); n != 2 || len(queuedOf(t, in.w.js, "ann")) != len(slips) {
		t.Errorf("looked %d times", n)
	}
}

func TestNotificationOfSeveralOwnersIsAcknowledgedWhenAllAreSeenTo(t *testing.T) {
	in, store := damned(t)
	store.owner = "bob"
	store.put(t, "inbox/ann/a.zip", "x")
	store.put(t, "inbox/bob/b.zip", "x")
	both := slipOf("inbox/ann/a.zip", "inbox/bob/b.zip", "inbox/ann/a.zip")
	in.Accept(both)
	for i := range 3 * inboxMost { // ann is looked through, which covers her part
		in.Accept(slipOf(fmt.Sprintf("inbox/ann/%d.zip", i)))
	}
	eventually(t, func() bool { return in.inHand() == 3 })
	if both.said() != "" {
		t.Errorf("answered with %q before the second owner's part was seen to", both.said())
	}
	close(store.open)
	in.settled(t)
	if both.said() != "ack" || len(queuedOf(t, in.w.js, "bob")) != 1 || queuedOf(t, in.w.js, "ann")["inbox/ann/a.zip"] == 0 {
		t.Errorf("answered with %q", both.said())
	}
}

func TestNotificationComesBackWhenOneOfItsPartsMetAnOutage(t *testing.T) {
	in, store := damned(t)
	close(store.open)
	store.put(t, "inbox/ann/a.zip", "x")
	store.out = errors.New("connection refused")
	s := slipOf("inbox/ann/a.zip", "inbox/bob/b.zip")
	in.Accept(s)
	in.settled(t)
	if s.said() != "nak" {
		t.Errorf("answered with %q", s.said())
	}
	store.out = nil
	s = slipOf("inbox/ann/a.zip", "inbox/bob/b.zip")
	in.Accept(s)
	in.settled(t)
	if s.said() != "ack" || len(queuedOf(t, in.w.js, "ann")) != 1 {
		t.Errorf("afterwards: answered with %q", s.said())
	}
}

func TestLookThatMeetsAnOutageIsTriedAgain(t *testing.T) {
	in, store := damned(t)
	var slips []*slip
	for i := range inboxMost + turnHints + 1 {
		key := fmt.Sprintf("inbox/ann/%d.zip", i)
		store.put(t, key, "x")
		slips = append(slips, slipOf(key))
		in.Accept(slips[i])
	}
	eventually(t, func() bool { return store.looks.Load() == 1 })
	store.failing.Store(3)
	close(store.open)
	in.settled(t)
	allSaid(t, slips, "ack")
	if n := store.looks.Load(); n != 4 || len(queuedOf(t, in.w.js, "ann")) != len(slips) {
		t.Errorf("looked %d times, %d of %d are queued", n, len(queuedOf(t, in.w.js, "ann")), len(slips))
	}
}

func TestNamesThatAreTwoOwnersWaitInBothInboxes(t *testing.T) {
	d, _ := inboxDeps(t)
	for text, want := range map[string]string{
		notificationOf("inbox/ann/a+b.zip"):                   "[{{ann false} [inbox/ann/a b.zip inbox/ann/a+b.zip]}]",
		notificationOf("inbox/ann%2Fa.zip"):                   "[{{ann false} [inbox/ann/a.zip]} {{me true} [inbox/ann%2Fa.zip]}]",
		notificationOf("inbox/ann/..%2Fbob%2Fa.zip"):          "[]",
		notificationOf("inbox/ann/x%2F..%2F..%2Fbob%2Fa.zip"): "[{{ann false} [inbox/ann/x%2F..%2F..%2Fbob%2Fa.zip]}]",
		notificationOf("inbox/ann/f/_COMPLETE", "inbox/b"):    "[{{ann false} [inbox/ann/f/_COMPLETE]} {{me true} [inbox/b]}]",
		notificationOf("inbox/_/a", "inbox/A/a", "inbox/.a"):  "[]",
		notificationOf("inbox/%5F%5F/a", "inbox/ann.b/a.zip"): "[]",
		notificationOf("inbox/a*/x", "inbox/a>/x", "inbox//"): "[]",
	} {
		got, err := d.Inbox.hints([]byte(text))
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestUnreadableNotificationsDoNotDelayOthers(t *testing.T) {
	in, store := damned(t)
	close(store.open)
	stopped := make(chan struct{})
	in.st.giveUp = func(context.Context, []byte, error) error { <-stopped; return nil }
	var bad []*slip
	for i := range 5_000 {
		bad = append(bad, &slip{data: fmt.Sprint("what is this? ", i)})
		in.Accept(bad[i])
	}
	store.put(t, "inbox/bob/export.zip", "x")
	bob := slipOf("inbox/bob/export.zip")
	in.Accept(bob)
	eventually(t, func() bool { return bob.said() == "ack" })
	if n := in.inHand(); n != unreadMost {
		t.Errorf("%d wait for their dead letters", n)
	}
	close(stopped)
	in.settled(t)
	allSaid(t, bad[:unreadMost], "term")
	allSaid(t, bad[unreadMost:], "ack")
	if n := queuedIn(t, in.w.js, StreamDLQ); n != unreadMost {
		t.Errorf("%d dead letters", n)
	}
}
