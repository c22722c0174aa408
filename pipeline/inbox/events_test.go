package inbox

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
)

func TestNotificationsOfAllServersAreUnderstood(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	const key, escaped = "inbox/ann/my export (1)+ü.zip", "inbox/ann/my+export+%281%29%2B%C3%BC.zip"
	for name, text := range formsOf("drops", key, escaped) {
		if got, err := eventKeys(r, text); err != nil || !slices.Contains(got, "ann "+key) || len(got) > 2 {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	// A name that looks escaped and is not.
	for name, text := range formsOf("drops", "inbox/ann/100%25.zip", "inbox/ann/100%2525.zip") {
		if got, err := eventKeys(r, text); err != nil || !slices.Contains(got, "ann inbox/ann/100%25.zip") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestNotificationsOfWhatIsNoDropAreIgnored(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	record := func(name, bucket, key string) string { return `{"Records":[` + awsRecord(name, bucket, key) + `]}` }
	for _, text := range []string{
		`{"Service":"Amazon S3","Event":"s3:TestEvent","Time":"2026-05-01T12:00:00.000Z","Bucket":"drops"}`,
		`{"Event":"s3:TestEvent"}`, `{"Records":[]}`, `{"EventName":"s3:TestEvent"}`,
		record("ObjectRemoved:Delete", "drops", "inbox/ann/a.zip"),
		record("s3:ObjectTagging:Put", "drops", "inbox/ann/a.zip"),
		record("ObjectCreated:Put", "another", "inbox/ann/a.zip"),
		notificationOf("owners/ann/head.json", "pam/inbox/ann/a.zip", "inbox/ann/f/x.json", "inbox/ann/"+objects.Digest("x")+"/drop.json",
			"inbox/ann/.hidden", "inbox/ann/a.part", "inbox/Not+An+Owner/x", "inbox/ann/..%2F..%2Fowners/bob/head.json", "inbox/ann/%00"),
	} {
		if got, err := eventKeys(r, text); err != nil || slices.ContainsFunc(got, func(s string) bool { return !strings.Contains(s, "%") }) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	if got, err := eventKeys(r, notificationOf("inbox/ann/f/_COMPLETE")); err != nil || fmt.Sprint(got) != "[ann inbox/ann/f/]" {
		t.Errorf("a marker: %q, %v", got, err)
	}
	r.Prefix = "pam"
	if got, err := eventKeys(r, notificationOf("pam/inbox/ann/a.zip")); err != nil || fmt.Sprint(got) != "[ann inbox/ann/a.zip]" {
		t.Errorf("below the store's prefix: %q, %v", got, err)
	}
	if got, err := eventKeys(r, notificationOf("inbox/ann/a.zip")); err != nil || len(got) != 0 {
		t.Errorf("beside the store's prefix: %q, %v", got, err)
	}
	r.Bucket = ""
	if got, err := eventKeys(r, record("ObjectCreated:Put", "any", "pam/inbox/ann/a.zip")); err != nil || len(got) != 1 {
		t.Errorf("of any bucket: %q, %v", got, err)
	}
}

func TestNamesThatAreTwoOwnersAreTwoEntries(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for text, want := range map[string]string{
		notificationOf("inbox/ann/a+b.zip"):                   "[ann inbox/ann/a b.zip ann inbox/ann/a+b.zip]",
		notificationOf("inbox/ann%2Fa.zip"):                   "[ann inbox/ann/a.zip me inbox/ann%2Fa.zip]",
		notificationOf("inbox/ann/..%2Fbob%2Fa.zip"):          "[]",
		notificationOf("inbox/ann/x%2F..%2F..%2Fbob%2Fa.zip"): "[ann inbox/ann/x%2F..%2F..%2Fbob%2Fa.zip]",
		notificationOf("inbox/ann/f/_COMPLETE", "inbox/b"):    "[ann inbox/ann/f/ me inbox/b]",
		notificationOf("inbox/_/a", "inbox/A/a", "inbox/.a"):  "[]",
		notificationOf("inbox/%5F%5F/a", "inbox/ann.b/a.zip"): "[]",
		notificationOf("inbox/a*/x", "inbox/a>/x", "inbox//"): "[]",
	} {
		got, err := eventKeys(r, text)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestUnreadableNotificationsAreRemovedWithOneWarning(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	q := r.withQueue(t, dispatch.TopologyOptions{})
	deep := notificationOf("inbox/ann/a.zip")
	for range maxEnvelopes + 1 {
		deep = `{"Message":` + strconv.Quote(deep) + `}`
	}
	bad := []string{
		"", "hello", "[]", "{}", `{"Records":[{}]}`, `{"Records":[1]}`, `{"detail":{}}`, `{"Message":"hello"}`, deep,
		`{"Records":[{"eventName":"ObjectCreated:Put","s3":{"bucket":{"name":"b"},"object":{"key":""}}}]}`,
		strings.Repeat(`{"Records":[`, 2000) + strings.Repeat("]}", 2000),
	}
	for _, text := range bad {
		if got, err := eventKeys(r, text); err == nil || got != nil {
			t.Errorf("%.60s: %v", text, got)
		}
		publish(t, q, text)
	}
	r.put(t, "inbox/bob/a.zip", "x")
	publish(t, q, notificationOf("inbox/bob/a.zip"))
	r.work(t, q)
	if len(r.asked) != 1 {
		t.Errorf("asked for %v", r.asked)
	}
	warned := 0
	for _, e := range r.logs.All() {
		if strings.Contains(e.Message+fmt.Sprint(e.ContextMap()), "hello") {
			t.Errorf("the log quotes a notification: %s %v", e.Message, e.ContextMap())
		}
		if strings.Contains(e.Message, "no known form") {
			warned++
		}
	}
	if warned == 0 || warned > len(bad) {
		t.Errorf("%d warnings", warned)
	}
}

func publish(t testing.TB, q *queue.Queue, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if _, err := q.JetStream().PublishAsync(dispatch.DefaultEvents, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	<-q.JetStream().PublishAsyncComplete()
}

func TestLostDuplicateAndReorderedNotificationsEndInTheSame(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	q := r.withQueue(t, dispatch.TopologyOptions{})
	var events []string
	for i := range 60 {
		key := fmt.Sprintf("inbox/owner%d/drop %d.json", i%7, i)
		r.put(t, key, fmt.Sprint("content ", i%20))
		forms := formsOf("drops", key, strings.ReplaceAll(key, " ", "+"))
		if i%5 > 0 { // every fifth is lost
			events = append(events, forms["aws"], forms["versitygw"])
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	for _, e := range append(events, events[:20]...) {
		publish(t, q, e)
		if rng.IntN(40) == 0 {
			r.work(t, q)
		}
	}
	r.work(t, q)
	if s := r.scan(t); s.Sent+s.Known != 60 || s.Sent > 12 {
		t.Errorf("the scan found %+v, want the 12 lost ones at most", s)
	}
	r.work(t, q)
	if s := r.scan(t); s.Sent != 0 || s.Known != 60 {
		t.Errorf("%+v", s)
	}
}

func TestFloodOfOneOwnersNotificationsIsOneListing(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	q := r.withQueue(t, dispatch.TopologyOptions{})
	const drops = 400
	var ann []string
	for i := range drops {
		key := fmt.Sprintf("inbox/ann/%d.zip", i)
		r.put(t, key, fmt.Sprint(i))
		ann = append(ann, notificationOf(key))
	}
	for _, key := range []string{"inbox/ann-b/a.zip", "inbox/anna/a.zip", "inbox/ann.zip", "inbox/Ann/a.zip"} {
		r.put(t, key, "beside")
	}
	r.put(t, "inbox/bob/export.zip", "bob's")
	publish(t, q, ann...)
	publish(t, q, notificationOf("inbox/bob/export.zip"))
	r.work(t, q)
	if len(r.asked) < drops+1 || !slices.Contains(r.asked, "bob "+dropOf("bob's")) || slices.ContainsFunc(r.asked, func(s string) bool { return strings.Contains(s, dropOf("beside")) }) {
		t.Errorf("%d were asked for", len(r.asked))
	}
	if s := r.scan(t); s.Known != drops+1 || s.Sent != 4 {
		t.Errorf("%+v", s)
	}
}

func TestBatchOfNotificationsCostsEachOwnerAFewTasks(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	q := r.withQueue(t, dispatch.TopologyOptions{OwnerSmall: 1000})
	for _, p := range []struct {
		owner   string
		entries int
	}{{"ann", eventTasks}, {"bob", eventTasks + 1}, {"me", eventTasks + 1}} {
		var keys []string
		prefix := state.InboxPrefix(p.owner)
		if p.owner == "me" {
			prefix = state.InboxRoot
		}
		for i := range p.entries {
			keys = append(keys, fmt.Sprintf("%s%d.zip", prefix, i))
		}
		part := partOf(p.owner, keys[0])
		for range 2 {
			if err := r.sendEvents(t.Context(), part, keys); err != nil {
				t.Fatal(err)
			}
		}
		want := p.entries
		if p.entries > eventTasks {
			want = 1
		}
		if got := waiting(t, q, "pam.take.*."+p.owner+".>"); len(got) != want {
			t.Errorf("%s: %d tasks for %d entries", p.owner, len(got), p.entries)
		}
	}
}

// An entry that comes when the listing has passed its place needs another listing.
func TestListingThatIsAskedForWhileOneRunsRunsAfterIt(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	q := r.withQueue(t, dispatch.TopologyOptions{})
	r.put(t, "inbox/ann/a.zip", "x")
	keys := make([]string, eventTasks+1)
	for i := range keys {
		keys[i] = fmt.Sprintf("inbox/ann/%d", i)
	}
	flood := func() {
		if err := r.sendEvents(t.Context(), partOf("ann", keys[0]), keys); err != nil {
			t.Error(err)
		}
	}
	lists := 0
	r.bucket.onList = func(prefix string) {
		if prefix != "inbox/ann/" {
			return
		}
		if lists++; lists == 1 {
			// The snapshot of this listing is made. The next listing is asked for, twice.
			r.put(t, "inbox/ann/late.zip", "late")
			flood()
			flood()
		}
	}
	flood()
	r.work(t, q)
	if lists != 2 || !slices.Contains(r.asked, "ann "+dropOf("late")) {
		t.Errorf("listed %d times, asked for %v", lists, r.asked)
	}
}

func TestNotificationsStayUntilTheirTasksAreSent(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	q := r.withQueue(t, dispatch.TopologyOptions{})
	// The stream of tasks is full, as an operator's limit may make it.
	info, err := q.JetStream().Stream(t.Context(), dispatch.StreamTake)
	if err != nil {
		t.Fatal(err)
	}
	config := info.CachedInfo().Config
	setLimit := func(n int64) {
		t.Helper()
		config.MaxMsgs = n
		if _, err := q.JetStream().UpdateStream(t.Context(), config); err != nil {
			t.Fatal(err)
		}
	}
	r.put(t, "inbox/ann/a.zip", "ann's")
	r.put(t, "inbox/bob/b.zip", "bob's")
	publish(t, q, notificationOf("inbox/ann/a.zip", "inbox/bob/b.zip"))
	if err := q.Send(t.Context(), Task{V: 1, Owner: "zoe", Key: "inbox/zoe/gone.zip"}.message(queue.FromAsk)); err != nil {
		t.Fatal(err)
	}
	setLimit(1)
	ctx, stop := context.WithCancel(t.Context())
	var g sync.WaitGroup
	g.Go(func() { _ = r.ConsumeEvents(ctx) })
	natstest.Eventually(t, "the second try", func() bool { return r.delivered(t, q) > 1 })
	stop()
	g.Wait()
	if n := pendingEventsIn(t, q); n != 1 {
		t.Errorf("%d notifications are left, want 1", n)
	}
	setLimit(-1)
	r.work(t, q)
	slices.Sort(r.asked)
	if fmt.Sprint(r.asked) != fmt.Sprintf("[ann %s bob %s]", dropOf("ann's"), dropOf("bob's")) {
		t.Errorf("asked for %v", r.asked)
	}
}

func pendingEventsIn(t testing.TB, q *queue.Queue) uint64 {
	t.Helper()
	s, err := q.JetStream().Stream(t.Context(), dispatch.StreamEvents)
	if err != nil {
		t.Fatal(err)
	}
	return s.CachedInfo().State.Msgs
}

// delivered counts the deliveries of notifications.
func (r *rig) delivered(t testing.TB, q *queue.Queue) uint64 {
	t.Helper()
	c, err := q.JetStream().Consumer(t.Context(), dispatch.StreamEvents, "events")
	if err != nil {
		t.Fatal(err)
	}
	return c.CachedInfo().Delivered.Consumer
}

func FuzzNotification(f *testing.F) {
	for _, text := range formsOf("drops", "inbox/ann/a b.zip", "inbox/ann/a+b.zip") {
		f.Add([]byte(text))
	}
	f.Add([]byte(`{"Event":"s3:TestEvent"}`))
	f.Add([]byte(`{"Records":[{"body":"{}"}]}`))
	in := New(Options{Rules: Rules{Owner: "me"}}, nil, nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		events, err := decodeEvents(data)
		if err != nil && events != nil {
			t.Error("events beside an error")
		}
		for _, e := range events {
			if e.bucket == "" || len(e.keys) == 0 || e.keys[len(e.keys)-1] == "" {
				t.Errorf("%+v is about nothing", e)
			}
		}
		found, _ := in.eventEntries(data)
		for _, l := range found {
			if inRoot(l.entry) && l.owner != "me" {
				t.Errorf("%q lies in the root of %q", l.entry, l.owner)
			}
			if _, err := decodeTask(Task{V: 1, Owner: l.owner, Key: l.entry}.message("")); err != nil {
				t.Errorf("%q makes a task that nobody takes: %v", l.entry, err)
			}
			p := partOf(l.owner, l.entry)
			if _, err := decodeTask(Task{V: 1, Owner: p.owner, Key: p.prefix, Scan: true}.message("")); err != nil {
				t.Errorf("%q makes a listing that nobody makes: %v", l.entry, err)
			}
		}
	})
}
