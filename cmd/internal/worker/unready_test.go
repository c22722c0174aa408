package worker

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/telemetry"
)

func TestAWorkerWhoseBucketIsNotThereSaysSoWhenItStarts(t *testing.T) {
	s3 := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `<Error><Code>NoSuchBucket</Code><Message>none</Message></Error>`)
	}))
	t.Cleanup(s3.Close)
	url := natstest.Server(t, nil).ClientURL()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- runStage(ctx, telemetry.StageAssemble, "v9", options{Set: map[string]string{
			"nats.url": url, "log.format": "json", "store.kind": "s3", "store.s3.bucket": "memorys", "store.s3.endpoint": s3.URL,
			"store.s3.path_style": "true", "store.s3.access_key_id": "id", "store.s3.secret_access_key": "key",
		}}, w)
		_ = w.Close()
	}()
	said := false
	for log := bufio.NewScanner(r); !said && log.Scan(); {
		said = strings.Contains(log.Text(), "the worker cannot work yet") && strings.Contains(log.Text(), "the bucket is not there: make it, or correct its name")
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	cancel()
	if err := <-ended; err != nil || !said {
		t.Errorf("said: %v; ended with %v", said, err)
	}
}

func TestAWorkerThatIsStoppedBeforeItsStoreAnswersEndsWithoutAnError(t *testing.T) {
	asked := make(chan struct{})
	release := make(chan struct{})
	s3 := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		select {
		case asked <- struct{}{}:
		case <-release:
		}
		<-release
	}))
	t.Cleanup(s3.Close)
	t.Cleanup(func() { close(release) })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- runStage(ctx, telemetry.StageIngest, "v9", options{Set: map[string]string{
			"nats.url": "nats://127.0.0.1:1", "log.format": "json", "store.kind": "s3", "store.s3.bucket": "memories", "store.s3.endpoint": s3.URL,
			"store.s3.path_style": "true", "store.s3.access_key_id": "id", "store.s3.secret_access_key": "key",
		}}, io.Discard)
	}()
	<-asked
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("a gentle end is an error: %v", err)
	}
}
