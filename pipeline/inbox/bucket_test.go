package inbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/pamline/pamline/blob/blobtest/gateway"
	"github.com/pamline/pamline/blob/s3"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/queue"
)

// newBucketRig gives an inbox in a real bucket, whose server publishes notifications on a real NATS
// server, and a function that uploads as a person's program would.
func newBucketRig(t *testing.T) (*rig, gateway.Config, func(key, text string, metadata map[string]string)) {
	t.Helper()
	server := natstest.Server(t, nil).ClientURL()
	q, err := queue.Join(t.Context(), queue.ConnectOptions{URL: server, Name: "test"}, dispatch.Topology(dispatch.TopologyOptions{}), queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	c := gateway.Start(t, gateway.WithEvents(server, dispatch.DefaultEvents))
	store, err := s3.Open(t.Context(), s3.Options{Bucket: c.Bucket, Prefix: "pam", Endpoint: c.Endpoint, Region: c.Region, PathStyle: true,
		AccessKey: c.AccessKey, SecretKey: c.SecretKey})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(o *Options) {
		o.Store = store
		o.Rules = Rules{Quiet: time.Hour, Parts: 100, Bucket: c.Bucket, Prefix: "pam"}
	})
	r.Inbox = New(r.Options, q, r)
	client := awss3.New(awss3.Options{
		BaseEndpoint: &c.Endpoint, Region: c.Region, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(c.AccessKey, c.SecretKey, ""),
	})
	return r, c, func(key, text string, metadata map[string]string) {
		t.Helper()
		key = "pam/" + key
		if _, err := client.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: &c.Bucket, Key: &key, Body: strings.NewReader(text), Metadata: metadata}); err != nil {
			t.Fatal(err)
		}
	}
}

// askedFor gives what was asked for so far, in order.
func (r *rig) askedFor() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(slices.Values(r.asked))
}

func TestDropsInABucketAreTakenByItsNotifications(t *testing.T) {
	t.Parallel()
	r, _, upload := newBucketRig(t)
	ctx, stop := context.WithCancel(t.Context())
	var g sync.WaitGroup
	defer g.Wait()
	defer stop()
	g.Go(func() { _ = r.ConsumeEvents(ctx) })
	g.Go(func() { _ = r.ConsumeTakes(ctx) })
	upload("inbox/ann/my export (1).json", "1", map[string]string{"pamline-importer": "chatgpt"})
	upload("inbox/bob/100%25+ü.json", "2", nil)
	upload("inbox/cid/export/conversations.json.gz", "\x1f\x8b 3", nil)
	upload("inbox/cid/export/_COMPLETE", "extractors: rules\n", nil)
	upload("inbox/Not An Owner/x.json", "x", nil)
	want := []string{"ann " + dropOf("1") + " chatgpt", "bob " + dropOf("2"), "cid " + dropOf("\x1f\x8b 3") + "  rules"}
	natstest.Eventually(t, "taking all", func() bool { return len(r.askedFor()) >= len(want) })
	if got := r.askedFor(); !slices.Equal(got, want) {
		t.Errorf("asked for %v, want %v", got, want)
	}
}

func TestDropsInABucketWithoutNotificationsAreFoundByTheListing(t *testing.T) {
	t.Parallel()
	r, c, upload := newBucketRig(t)
	upload("inbox/ann/a b.json", "1", nil)
	upload("inbox/Not An Owner/x.json", "x", nil)
	for _, name := range []string{"back\\slash.zip", "bell\x07.zip", "line\nbreak.zip"} {
		if err := os.WriteFile(filepath.Join(c.Folder, c.Bucket, "pam/inbox/ann", name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if s := r.scan(t); s.Sent != 5 {
		t.Errorf("%+v", s)
	}
	ctx, stop := context.WithCancel(t.Context())
	var g sync.WaitGroup
	g.Go(func() { _ = r.ConsumeTakes(ctx) })
	natstest.Eventually(t, "taking all", func() bool { return len(waiting(t, r.queue, ">")) == 0 })
	stop()
	g.Wait()
	if got, refused := r.askedFor(), r.reasons(t); fmt.Sprint(got) != "[ann "+dropOf("1")+"]" || len(refused) != 4 {
		t.Errorf("asked for %v, refused %v", got, refused)
	}
	if s := r.scan(t); s.Sent != 0 || s.Known != 5 || s.Removed != 0 {
		t.Errorf("the next scan: %+v: what was refused must not be looked at again", s)
	}
}

// The same bytes, put again with other settings, have the same ETag on this server and most others.
func TestSameBytesInABucketWithOtherSettingsAreTakenAgain(t *testing.T) {
	t.Parallel()
	r, _, upload := newBucketRig(t)
	const key = "inbox/ann/a.json"
	upload(key, "1", nil)
	r.takeAll(t)
	before := r.list(t)[0]
	natstest.Eventually(t, "another time", func() bool { // times of objects are in seconds
		upload(key, "1", map[string]string{"pamline-extractors": "rules"})
		return r.list(t)[0].newest.Unix() > before.newest.Unix()
	})
	if asked := r.takeAll(t); fmt.Sprint(asked) != "[ann "+dropOf("1")+"  rules]" {
		t.Errorf("asked for %v", asked)
	}
}
