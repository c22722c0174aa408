package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/blobtest/gateway"
	"github.com/pamline/pamline/blob/s3"
)

func TestUpTakesTheInboxOfABucket(t *testing.T) {
	t.Parallel()
	cfg := gateway.Start(t)
	store, err := s3.Open(t.Context(), s3.Options{Bucket: cfg.Bucket, Endpoint: cfg.Endpoint, Region: cfg.Region, PathStyle: true,
		AccessKey: cfg.AccessKey, SecretKey: cfg.SecretKey})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(export(t, 3))
	if err != nil {
		t.Fatal(err)
	}
	put := func(key, text string) {
		t.Helper()
		if _, err := store.Put(t.Context(), key, strings.NewReader(text), blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	put("inbox/my export.json", string(text))
	put("inbox/anna/unpacked/conversations.json", string(text))
	put("inbox/anna/unpacked/_COMPLETE", "")

	settings := filepath.Join(t.TempDir(), "pamline.yaml")
	if err := os.WriteFile(settings, []byte("owner: me\nstore:\n  kind: s3\n  s3:\n    bucket: "+cfg.Bucket+"\n    endpoint: "+cfg.Endpoint+
		"\n    path_style: true\n    access_key_id: "+cfg.AccessKey+"\n    secret_access_key: "+cfg.SecretKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	up := exec.Command("pamline", "up", "--config", settings, "--data", t.TempDir(), "--set", "drop.scan=1s")
	up.Stderr = &said
	if err := up.Start(); err != nil {
		t.Fatal(err)
	}
	published := func(owner string) bool {
		_, err := store.Head(t.Context(), "owners/"+owner+"/memory-store.json")
		return err == nil
	}
	deadline := time.Now().Add(5 * time.Minute)
	for !published("me") || !published("anna") {
		if time.Now().After(deadline) {
			t.Error("nothing was published")
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := up.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := up.Wait(); err != nil {
		t.Error(err)
	}
	if strings.Contains(said.String(), "my export") || strings.Contains(said.String(), "unpacked") || t.Failed() {
		t.Errorf("it said:\n%s", said.String())
	}
}
