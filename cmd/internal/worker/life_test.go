package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/telemetry"
)

func answer(t *testing.T, addr, path string) (int, string) {
	t.Helper()
	resp, err := http.Get("http://" + addr + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestAWorkerTellsHowItStandsFromItsStartToItsEnd(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has systemd")
	}
	folder, err := os.MkdirTemp("", "w") //nolint:usetesting // short: a socket's name may have a hundred bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	socket := filepath.Join(folder, "s")
	systemd, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer systemd.Close()
	if err := systemd.SetReadDeadline(time.Now().Add(5 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	notified := func(want string) {
		t.Helper()
		b := make([]byte, 100)
		n, err := systemd.Read(b)
		if err != nil || string(b[:n]) != want {
			t.Fatalf("systemd hears %q, want %q (%v)", b[:n], want, err)
		}
	}
	t.Setenv("NOTIFY_SOCKET", socket)

	url := natstest.Server(t, nil).ClientURL()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- runStage(ctx, telemetry.StageIngest, "v9", options{Set: map[string]string{
			"nats.url": url, "store.dir.path": filepath.Join(folder, "store"), "log.format": "json",
		}}, w)
		_ = w.Close()
	}()
	// The log is read from the start: a worker that warns of a slow server waits for its reader.
	up := make(chan string, 1)
	go func() {
		log := bufio.NewScanner(r)
		for log.Scan() {
			var line struct{ Message, HTTP string }
			if json.Unmarshal(log.Bytes(), &line) == nil && line.Message == "worker is up" {
				up <- line.HTTP
			}
		}
		close(up)
	}()
	notified("READY=1")
	addr := <-up
	for path, want := range map[string]string{"/healthz": "ok", "/readyz": "ready", "/version": `"pamline":"v9"`, "/imports": `{"imports":[]}`, "/metrics": "pam_build_info"} {
		if code, body := answer(t, addr, path); code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d %.200s", path, code, body)
		}
	}
	cancel()
	notified("STOPPING=1")
	if err := <-ended; err != nil {
		t.Errorf("a gentle end is an error: %v", err)
	}
}
