package telemetry

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/pamline/pamline/config"
)

func TestWithoutAnEndpointThereIsNoTracer(t *testing.T) {
	tr, err := Start(t.Context(), config.Trace{Ratio: 1}, "test", "v1", zap.NewNop())
	if err != nil || tr.Tracer != nil {
		t.Errorf("%+v, %v", tr, err)
	}
	tr.Stop(zap.NewNop())
	(*Tracing)(nil).Stop(zap.NewNop())
}

func TestTheCollectorGetsWhatWasTracedAtTheLatestInTheEnd(t *testing.T) {
	got := make(chan string, 4)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r.URL.Path + " " + string(body)
	}))
	defer server.Close()
	tr, err := Start(t.Context(), config.Trace{Endpoint: server.URL, Ratio: 1}, "pamline-test", "v1", zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	_, s := tr.Tracer.Start(t.Context(), "a step")
	s.End()
	tr.Stop(zap.NewNop())
	if text := <-got; !strings.HasPrefix(text, "/v1/traces ") || !strings.Contains(text, "a step") || !strings.Contains(text, "pamline-test") {
		t.Errorf("got %.200q", text)
	}
}

func TestARatioOfNothingTracesNothing(t *testing.T) {
	tr, err := Start(t.Context(), config.Trace{Endpoint: "http://127.0.0.1:1", Ratio: 0}, "test", "v1", zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	_, s := tr.Tracer.Start(t.Context(), "a step")
	if s.IsRecording() {
		t.Error("it is traced")
	}
	s.End()
	tr.Stop(zap.NewNop())
}

// A collector that takes the connection and never answers holds nothing up: spans beyond the queue
// are dropped, and the end comes within its bound.
func TestADeadCollectorHoldsNothingUp(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	core, logs := observer.New(zapcore.WarnLevel)
	tr, err := Start(t.Context(), config.Trace{Endpoint: "http://" + ln.Addr().String(), Ratio: 1}, "test", "v1", zap.New(core))
	if err != nil {
		t.Fatal(err)
	}
	for range 10 * queueSpans {
		_, s := tr.Tracer.Start(t.Context(), "a step")
		s.End()
	}
	bound, cancel := context.WithTimeout(context.Background(), 10*flushWait)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tr.Stop(zap.New(core))
	}()
	select {
	case <-ended:
	case <-bound.Done():
		t.Fatal("it never ends")
	}
	if logs.Len() == 0 || logs.Len() > 2 {
		t.Errorf("said %d times", logs.Len())
	}
}

func TestAnEndpointThatIsNoneIsRefused(t *testing.T) {
	for _, bad := range []string{"localhost:4318", "ftp://x", "http://", "http://me:Nachtigall@x:1", "%"} {
		_, err := Start(t.Context(), config.Trace{Endpoint: bad}, "test", "v1", zap.NewNop())
		if err == nil || !strings.Contains(err.Error(), "trace.endpoint") || strings.Contains(err.Error(), "Nachtigall") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestTheTroubleOfACollectorIsSaidOnce(t *testing.T) {
	core, logs := observer.New(zapcore.WarnLevel)
	o := &once{log: zap.New(core)}
	for range 5 {
		o.Handle(context.DeadlineExceeded)
	}
	if logs.Len() != 1 {
		t.Errorf("said %d times", logs.Len())
	}
}
