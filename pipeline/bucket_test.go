package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob/blobtest/gateway"
	"github.com/pamline/pamline/blob/s3"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// bucket is a real server that tells a real NATS server what happens, and the dependencies of workers that use both.
func bucket(t *testing.T) (Deps, jetstream.JetStream, gateway.Config) {
	t.Helper()
	address := natsServer(t)
	nc, err := ConnectNATS(NATSOptions{URL: address, Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js := natstest.JetStream(t, nc)
	if err := EnsureTopology(t.Context(), js, Topology{}); err != nil {
		t.Fatal(err)
	}
	cfg := gateway.Start(t, gateway.WithEvents(address, DefaultEvents))
	d := testDeps(t)
	if d.Store, err = s3.Open(t.Context(), s3.Options{Bucket: cfg.Bucket, Prefix: "pam", Endpoint: cfg.Endpoint, Region: cfg.Region, PathStyle: true,
		AccessKey: cfg.AccessKey, SecretKey: cfg.SecretKey}); err != nil {
		t.Fatal(err)
	}
	d.Inbox = Inbox{Quiet: time.Hour, Parts: 100, Bucket: cfg.Bucket, Prefix: "pam", Scan: time.Hour}
	return d, js, cfg
}

// upload puts an object there as a person's program would.
func upload(t *testing.T, cfg gateway.Config, key, text string, metadata map[string]string) {
	t.Helper()
	client := awss3.New(awss3.Options{
		BaseEndpoint: &cfg.Endpoint, Region: cfg.Region, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(cfg.AccessKey, cfg.SecretKey, ""),
	})
	key = "pam/" + key
	if _, err := client.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: &cfg.Bucket, Key: &key, Body: strings.NewReader(text), Metadata: metadata}); err != nil {
		t.Fatal(err)
	}
}

func TestDropsInABucketBecomeImportsByItsNotifications(t *testing.T) {
	t.Parallel()
	d, js, cfg := bucket(t)
	ends, _ := stages(t, d, js, telemetry.StageEvents, telemetry.StageTake, telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble)
	names := []string{"ann/my export (1).json", "bob/100%25+ü.json", "cid/export/conversations.json"}
	for i, name := range names {
		upload(t, cfg, state.InboxRoot+name, manyConversations(i+1), map[string]string{"pamline-importer": "chatgpt"})
	}
	upload(t, cfg, "inbox/cid/export/user.json", "{}", nil)
	upload(t, cfg, "inbox/cid/export/_COMPLETE", "extractors: rules\n", nil)
	upload(t, cfg, "inbox/Not An Owner/x.json", "x", nil)
	for owners := map[string]bool{}; len(owners) < 3; {
		e := <-ends
		owners[e.Owner] = true
		r, ok, err := state.ReadReceipt(t.Context(), d.Store, e.Owner, e.Import)
		if err != nil || !ok || r.State != state.StateDone {
			t.Errorf("%s: %+v, %v", e.Owner, r, err)
		}
		if e.Owner == "cid" && (len(r.Extractors) != 1 || !strings.Contains(r.Extractors[0], "rules")) {
			t.Errorf("settings of the folder were not kept: %v", r.Extractors)
		}
	}
	eventually(t, func() bool { return queuedIn(t, js, StreamEvents) == 0 && queuedIn(t, js, StreamTake) == 0 })
	for owner, key := range map[string]string{"ann": names[0], "bob": names[1]} {
		u, ok, err := lookUp(t.Context(), d.Store, d.Inbox, state.InboxRoot+key)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if r, ok, err := readTaken(t.Context(), d.Store, u.Record()); err != nil || !ok || r.State != TakenAs || r.Key != state.InboxRoot+key || u.owner != owner {
			t.Errorf("%s: %+v, %v, %v", owner, r, ok, err)
		}
	}
}

func TestDropsThatNoNotificationToldOfAreFoundByTheListing(t *testing.T) {
	t.Parallel()
	d, js, cfg := bucket(t)
	upload(t, cfg, "inbox/ann/a b.json", manyConversations(2), nil)
	upload(t, cfg, "inbox/Not An Owner/x.json", "x", nil)
	for _, name := range []string{"back\\slash.zip", "bell\x07.zip", "line\nbreak.zip"} {
		if err := os.WriteFile(filepath.Join(cfg.Folder, cfg.Bucket, "pam/inbox/ann", name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	purge(t, js, StreamEvents)
	ends, stop := stages(t, d, js, telemetry.StageTend, telemetry.StageTake, telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble)
	if e := <-ends; e.Owner != "ann" {
		t.Errorf("%+v", e)
	}
	letters, err := js.Stream(t.Context(), StreamDLQ)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool {
		info, err := letters.Info(t.Context())
		return err == nil && info.State.Msgs == 4 && queuedIn(t, js, StreamTake) == 0
	})
	stop()
	if p := scan(t, d, js); p.Asked != 0 || p.Known != 5 || p.Removed != 0 {
		t.Errorf("the next pass: %+v: what was refused must not be looked at again", p)
	}
}

// The same bytes, put again with other settings, have the same ETag on this server and most others.
func TestSameBytesWithOtherSettingsAreTakenAgain(t *testing.T) {
	t.Parallel()
	d, _, cfg := bucket(t)
	text := manyConversations(1)
	key := "inbox/ann/a.json"
	upload(t, cfg, key, text, nil)
	first, err := takeOne(t, d, importTask(key))
	if err != nil || len(first) != 1 {
		t.Fatal(err)
	}
	before, _, err := lookUp(t.Context(), d.Store, d.Inbox, key)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { // times of objects are in seconds
		upload(t, cfg, key, text, map[string]string{"pamline-extractors": "rules"})
		now, _, err := lookUp(t.Context(), d.Store, d.Inbox, key)
		return err == nil && now.newest.ModTime.Unix() > before.newest.ModTime.Unix()
	})
	again, err := takeOne(t, d, importTask(key))
	if err != nil || len(again) != 1 || again[0].Drop != first[0].Drop || fmt.Sprint(again[0].Extractors) != "[rules]" || again[0].Words() == first[0].Words() {
		t.Errorf("%+v, %v", again, err)
	}
	rec, err := state.ReadDrop(t.Context(), d.Store, "ann", first[0].Drop)
	if err != nil {
		t.Fatal(err)
	}
	if there, err := ingest.InPlace(t.Context(), d.Store, rec); err != nil || !there {
		t.Errorf("the record of the drop no longer holds: %v, %v", there, err)
	}
}
