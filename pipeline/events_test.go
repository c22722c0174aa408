package pipeline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// awsRecord is a record as AWS writes it.
func awsRecord(name, bucket, key string) string {
	return fmt.Sprintf(`{"eventVersion":"2.6","eventSource":"aws:s3","awsRegion":"eu-central-1","eventTime":"2026-05-01T12:00:00.000Z","eventName":%q,`+
		`"s3":{"s3SchemaVersion":"1.0","configurationId":"x","bucket":{"name":%q,"arn":"arn:aws:s3:::b"},`+
		`"object":{"key":%q,"size":7,"eTag":"d41d","versionId":"v","sequencer":"0055AED6DCD90281E5"}}}`, name, bucket, key)
}

// formsOf are notifications of one new object in all known forms. escaped is the key as forms escape it.
func formsOf(bucket, key, escaped string) map[string]string {
	aws := `{"Records":[` + awsRecord("ObjectCreated:Put", bucket, escaped) + `]}`
	forms := map[string]string{
		"aws": aws,
		"versitygw": fmt.Sprintf(`{"Records":[{"eventVersion":"2.2","eventSource":"aws:s3","eventName":"s3:ObjectCreated:CompleteMultipartUpload",`+
			`"s3":{"configurationId":"nats-global","bucket":{"name":%q},"object":{"key":%q,"size":0,"eTag":"\"x\"","versionId":null,"sequencer":"12"}},"glacierEventData":{}}]}`, bucket, key),
		"minio": fmt.Sprintf(`{"EventName":"s3:ObjectCreated:Put","Key":%q,"Records":[{"eventSource":"minio:s3","eventName":"s3:ObjectCreated:Put",`+
			`"s3":{"bucket":{"name":%q},"object":{"key":%q,"size":7}}}]}`, bucket+"/"+key, bucket, escaped),
		"ceph": fmt.Sprintf(`{"Records":[{"eventVersion":"2.2","eventSource":"ceph:s3","eventName":"ObjectCreated:Put","s3":{"bucket":{"name":%q,"id":"x"},`+
			`"object":{"key":%q,"size":"7","etag":"x","metadata":[]}},"eventId":"1.2","opaqueData":""}]}`, bucket, escaped),
		"eventbridge": fmt.Sprintf(`{"version":"0","source":"aws.s3","detail-type":"Object Created","detail":{"version":"0","bucket":{"name":%q},"object":{"key":%q,"size":7},"reason":"PutObject"}}`, bucket, key),
	}
	for _, name := range []string{"aws", "eventbridge"} {
		forms["sns of "+name] = `{"Type":"Notification","Message":` + strconv.Quote(forms[name]) + `}`
		forms["sqs of "+name] = `{"messageId":"1","body":` + strconv.Quote(forms[name]) + `}`
		forms["sqs of sns of "+name] = `{"Body":` + strconv.Quote(forms["sns of "+name]) + `}`
		forms["lambda of sqs of "+name] = `{"Records":[` + forms["sqs of "+name] + `]}`
		forms["lambda of sns of "+name] = `{"Records":[{"EventSource":"aws:sns","Sns":` + forms["sns of "+name] + `}]}`
	}
	return forms
}

// told is what the notification leads to.
func tasksOf(t *testing.T, d Deps, text string) ([]TakeTask, error) {
	t.Helper()
	hints, err := d.Inbox.hints([]byte(text))
	var out []TakeTask
	for _, h := range hints {
		task, ok, err := d.told(t.Context(), h)
		if err != nil {
			return out, err
		}
		if !ok {
			continue
		}
		if err := task.Check(); err != nil {
			t.Error(err)
		}
		if task.Owner != h.inbox.owner {
			t.Errorf("a hint at %s's inbox became a task of %s", h.inbox.owner, task.Owner)
		}
		out = append(out, task)
	}
	return out, err
}

func TestNotificationsOfAllServersAreUnderstood(t *testing.T) {
	const key, escaped = "inbox/ann/my export (1)+ü.zip", "inbox/ann/my+export+%281%29%2B%C3%BC.zip"
	d, s := inboxDeps(t)
	s.put(t, key, "x")
	for name, text := range formsOf("drops", key, escaped) {
		if got, err := tasksOf(t, d, text); err != nil || len(got) != 1 || got[0].Key != key || got[0].Owner != "ann" || got[0].Lane != state.LaneSmall {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	// A name that looks escaped and is not.
	s.put(t, "inbox/ann/100%25.zip", "x")
	for name, text := range formsOf("drops", "inbox/ann/100%25.zip", "inbox/ann/100%2525.zip") {
		if got, err := tasksOf(t, d, text); err != nil || len(got) != 1 || got[0].Key != "inbox/ann/100%25.zip" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestNotificationsOfWhatIsNoDropAreIgnored(t *testing.T) {
	t.Parallel()
	d, s := inboxDeps(t)
	for _, key := range []string{"inbox/ann/a.zip", "owners/ann/head.json", "inbox/ann/f/x.json", "inbox/ann/f/_COMPLETE", "inbox/ann/" + state.Digest("x") + "/drop.json",
		"inbox/ann/.hidden", "inbox/ann/a.part", "inbox/Not An Owner/x"} {
		s.put(t, key, "x")
	}
	record := func(name, bucket, key string) string { return `{"Records":[` + awsRecord(name, bucket, key) + `]}` }
	for _, text := range []string{
		`{"Service":"Amazon S3","Event":"s3:TestEvent","Time":"2026-05-01T12:00:00.000Z","Bucket":"drops"}`,
		`{"Event":"s3:TestEvent"}`, `{"Records":[]}`, `{"EventName":"s3:TestEvent"}`,
		record("ObjectRemoved:Delete", "drops", "inbox/ann/a.zip"),
		record("s3:ObjectTagging:Put", "drops", "inbox/ann/a.zip"),
		record("ObjectCreated:Put", "another", "inbox/ann/a.zip"),
		record("ObjectCreated:Put", "drops", "owners/ann/head.json"),
		record("ObjectCreated:Put", "drops", "pam/inbox/ann/a.zip"),
		record("ObjectCreated:Put", "drops", "inbox/ann/f/x.json"),
		record("ObjectCreated:Put", "drops", "inbox/ann/"+state.Digest("x")+"/drop.json"),
		record("ObjectCreated:Put", "drops", "inbox/ann/.hidden"),
		record("ObjectCreated:Put", "drops", "inbox/ann/a.part"),
		record("ObjectCreated:Put", "drops", "inbox/Not+An+Owner/x"),
		record("ObjectCreated:Put", "drops", "inbox/ann/gone.zip"),
		record("ObjectCreated:Put", "drops", "inbox/ann/..%2F..%2Fowners/bob/head.json"),
		record("ObjectCreated:Put", "drops", "inbox/ann/%00"),
	} {
		if got, err := tasksOf(t, d, text); err != nil || len(got) != 0 {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	if got, err := tasksOf(t, d, record("ObjectCreated:Put", "drops", "inbox/ann/f/_COMPLETE")); err != nil || len(got) != 1 || got[0].Key != "inbox/ann/f/" {
		t.Errorf("a marker: %+v, %v", got, err)
	}
	d.Inbox.Prefix = "pam"
	if got, err := tasksOf(t, d, record("ObjectCreated:Put", "drops", "pam/inbox/ann/a.zip")); err != nil || len(got) != 1 || got[0].Key != "inbox/ann/a.zip" {
		t.Errorf("below the store's prefix: %+v, %v", got, err)
	}
	d.Inbox.Bucket = ""
	if got, err := tasksOf(t, d, record("ObjectCreated:Put", "any", "pam/inbox/ann/a.zip")); err != nil || len(got) != 1 {
		t.Errorf("of any bucket: %+v, %v", got, err)
	}
}

func TestUnreadableNotificationsAreGivenUpAtOnce(t *testing.T) {
	d, _ := inboxDeps(t)
	deep := `{"Records":[` + awsRecord("ObjectCreated:Put", "drops", "inbox/ann/a.zip") + `]}`
	for range maxEnvelope + 1 {
		deep = `{"Message":` + strconv.Quote(deep) + `}`
	}
	for _, text := range []string{"", "hello", "[]", "{}", `{"Records":[{}]}`, `{"Records":[1]}`, `{"detail":{}}`, `{"Message":"hello"}`, deep,
		`{"Records":[{"eventName":"ObjectCreated:Put","s3":{"bucket":{"name":"b"},"object":{"key":""}}}]}`} {
		if _, err := tasksOf(t, d, text); fault.Of(err) != fault.Permanent {
			t.Errorf("%.60s: class %s, %v", text, fault.Of(err), err)
		} else if strings.Contains(fault.Loggable(err), "hello") {
			t.Errorf("a log would quote the notification: %v", err)
		}
	}
}

func TestNotificationTooLargeForADeadLetterDoesNotComeBack(t *testing.T) {
	d, _ := inboxDeps(t)
	w, err := newImpatient(d, broker(t))
	if err != nil {
		t.Fatal(err)
	}
	in := startIntake(t, w)
	s := &slip{data: strings.Repeat("x", maxUnread+1)}
	in.Accept(s)
	if s.said() != "ack" || queuedIn(t, w.js, StreamDLQ) != 0 {
		t.Errorf("answered with %q", s.said())
	}
}

func TestLostDuplicateAndReorderedNotificationsEndInTheSame(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d, s := inboxDeps(t)
	w, err := newImpatient(d, js)
	if err != nil {
		t.Fatal(err)
	}
	var events []string
	for i := range 60 {
		key := fmt.Sprintf("inbox/owner%d/drop %d.json", i%7, i)
		s.put(t, key, fmt.Sprint("content ", i%20))
		forms := formsOf("drops", key, strings.ReplaceAll(key, " ", "+"))
		if i%5 > 0 { // every fifth is lost
			events = append(events, forms["aws"], forms["versitygw"])
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	in := startIntake(t, w)
	for _, e := range slices.Concat(events, events[:20]) {
		in.Accept(&slip{data: e})
	}
	in.settled(t)
	drain(t, d, js)
	if p := scan(t, d, js); p.Asked != 12 || p.Known != 48 {
		t.Errorf("the pass found %+v, want the 12 lost ones", p)
	}
	drain(t, d, js)
	if p := scan(t, d, js); p.Asked != 0 || p.Known != 60 {
		t.Errorf("%+v", p)
	}
}

func FuzzNotification(f *testing.F) {
	for _, text := range formsOf("drops", "inbox/ann/a b.zip", "inbox/ann/a+b.zip") {
		f.Add([]byte(text))
	}
	f.Add([]byte(`{"Event":"s3:TestEvent"}`))
	f.Add([]byte(`{"Records":[{"body":"{}"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		events, err := decodeEvents(data)
		if err != nil && events != nil {
			t.Error("events beside an error")
		}
		hints, _ := Inbox{Owner: "me"}.hints(data)
		for _, h := range hints {
			for _, key := range h.keys {
				if state.CheckOwner(h.inbox.owner) != nil || !strings.HasPrefix(key, h.inbox.prefix()) || h.inbox.root && h.inbox.owner != "me" {
					t.Errorf("%q waits in the inbox of %q", key, h.inbox.owner)
				}
			}
		}
		for _, e := range events {
			if e.bucket == "" || len(e.keys) == 0 || e.keys[0] == "" && len(e.keys) == 1 {
				t.Errorf("%+v tells of nothing", e)
			}
			for _, key := range e.keys {
				key, inside := (Inbox{}).within(key)
				if !inside || badName(key) != nil {
					continue
				}
				l := (Inbox{}).lies(blob.Object{Key: key, Size: 1})
				if l.ignore || l.owner == "" {
					continue
				}
				task := TakeTask{V: state.MessageVersion, Owner: l.owner, Key: l.unit, Lane: state.LaneSmall}
				if err := task.Check(); err != nil {
					t.Errorf("%q makes a task that nobody takes: %v", key, err)
				}
			}
		}
	})
}
