package worker

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/pipeline/telemetry"
)

func TestAWorkerThatCannotStartSaysWhatToSet(t *testing.T) {
	for _, name := range []string{"PAMLINE_CONFIG", "PAMLINE_NATS__URL", "PAMLINE_STORE__KIND", "PAMLINE_STORE__DIR__PATH"} {
		t.Setenv(name, "") // puts what the tester has there back in the end
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	folder, empty := t.TempDir(), filepath.Join(t.TempDir(), "empty.creds")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"", exit.Usage, "nats.url is not set"},
		{"--set nats.url=nats://127.0.0.1:1", exit.Usage, "store.dir.path is not set"},
		{"--set nats.url=nats://me:Nachtigall@127.0.0.1:1", exit.Usage, "must not hold a user or password"},
		{"--set no.such=1", exit.Usage, "there is no such setting"},
		{"--config none.yaml", exit.Usage, "there is no file"},
		{"--bogus", exit.Usage, "Try: ingest --help"},
		{"surplus", exit.Usage, "Try: ingest --help"},
		{"--set nats.url=nats://127.0.0.1:1 --set nats.creds_file=" + empty + " --set store.dir.path=" + folder, exit.Failed, "nats.creds_file"},
	} {
		var stderr bytes.Buffer
		code := Main(telemetry.StageIngest, "", strings.Fields(c.args), &stderr)
		if code != c.code || !strings.Contains(stderr.String(), c.says) || strings.Contains(stderr.String(), "Nachtigall") {
			t.Errorf("ingest %s: exit code %d, want %d with %q: %s", c.args, code, c.code, c.says, stderr.String())
		}
	}
}
