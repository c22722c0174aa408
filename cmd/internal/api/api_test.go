package api

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/pipeline"
)

// serve answers for folder, and announces itself in announced.
func serve(t *testing.T, h http.Handler, announced string) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	forget, err := Announce(announced, strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := forget(); err != nil {
			t.Error(err)
		}
	})
}

func service(t *testing.T, folder string) http.Handler {
	t.Helper()
	s, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	mux := http.NewServeMux()
	mux.Handle("GET /imports", Handler(folder, s, &Live{}))
	return mux
}

func TestTheServiceOfAFolderIsAsked(t *testing.T) {
	folder := t.TempDir()
	serve(t, service(t, folder), folder)
	if list, err := Ask(t.Context(), folder, "me"); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	if _, err := Ask(t.Context(), link, ""); err != nil {
		t.Errorf("through a link: %v", err)
	}
	if _, err := Ask(t.Context(), folder, "no&owner=x"); err == nil || errors.Is(err, ErrNotRunning) {
		t.Errorf("a wrong owner: %v", err)
	}
}

func TestAnAddressLeftBehindIsNobody(t *testing.T) {
	for name, h := range map[string]http.Handler{
		"the service of another folder": service(t, t.TempDir()),
		"another program":               http.NotFoundHandler(),
	} {
		folder := t.TempDir()
		serve(t, h, folder)
		if list, err := Ask(t.Context(), folder, ""); !errors.Is(err, ErrNotRunning) {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
	folder := t.TempDir()
	if _, err := Ask(t.Context(), folder, ""); !errors.Is(err, ErrNotRunning) {
		t.Errorf("no address: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, addrFile), []byte("127.0.0.1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Ask(t.Context(), folder, ""); !errors.Is(err, ErrNotRunning) {
		t.Errorf("nobody listens: %v", err)
	}
}

func TestProgressIsOfOpenImportsOnly(t *testing.T) {
	l := &Live{}
	l.Observe(pipeline.Event{Stage: pipeline.StageIngest, Owner: "me", Drop: "d", Import: "a", Bytes: 5, Total: 10, Units: 3})
	l.Observe(pipeline.Event{Stage: pipeline.StageIngest, Import: "b", Bytes: 1, Total: 2})
	l.Observe(pipeline.Event{Stage: pipeline.StageDone, Import: "b"})
	list := l.add([]pipeline.Status{
		{Import: "a", Owner: "me", State: pipeline.StateReading}, {Import: "b", State: pipeline.StateReading}, {Import: "a", State: pipeline.StateDone},
		{Owner: "me", Drop: "d", State: pipeline.StateWaiting}, {Owner: "you", Drop: "d", State: pipeline.StateWaiting},
	})
	if len(list) != 4 || list[0].Drop != "d" || list[3].Owner != "you" {
		t.Errorf("a drop that is being read still waits: %+v", list)
	}
	if list[0].BytesRead != 5 || list[0].BytesTotal != 10 || list[0].Conversations != 3 || list[1].BytesTotal != 0 || list[2].BytesTotal != 0 {
		t.Errorf("%+v", list)
	}
}
