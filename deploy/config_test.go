package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/config"
)

// shipped are the files with settings, and the environment that goes with each: it stands for what
// the manifests add.
var shipped = map[string][]string{
	"pamline.example.yaml":                     nil,
	"compose/config/pamline.yaml":              nil,
	"kubernetes/overlays/small/pamline.yaml":   {"PAMLINE_STORE__S3__ACCESS_KEY_ID=id"},
	"kubernetes/overlays/cluster/pamline.yaml": {"PAMLINE_STORE__S3__ACCESS_KEY_ID=id"},
	"systemd/pamline.example.yaml":             nil,
	"systemd/worker.example.yaml":              {"PAMLINE_STORE__S3__SECRET_ACCESS_KEY_FILE=/run/secret", "PAMLINE_NATS__NKEY_FILE=/run/nkey"},
}

var secretPath = regexp.MustCompile(`(?m)^(\s*\w+_file:\s*)\S+$`)

// load reads shipped settings as the program would, with a file in place of each that only the
// operator has.
func load(t *testing.T, path string) *config.Config {
	t.Helper()
	stand := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(stand, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "pamline.yaml")
	if err := os.WriteFile(copied, []byte(secretPath.ReplaceAllString(read(t, path), "${1}"+stand)), 0o600); err != nil {
		t.Fatal(err)
	}
	var environ []string
	for _, v := range shipped[path] {
		name, value, _ := strings.Cut(v, "=")
		if strings.HasSuffix(name, "_FILE") {
			value = stand
		}
		environ = append(environ, name+"="+value)
	}
	c, err := config.Load(config.Sources{File: copied, Environ: environ})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return c
}

// meant are the warnings that a file's own comments answer.
var meant = map[string][]string{
	"compose/config/pamline.yaml":              {"http.addr", "store.s3.endpoint"},
	"kubernetes/overlays/small/pamline.yaml":   {"http.addr"},
	"kubernetes/overlays/cluster/pamline.yaml": {"http.addr"},
}

func TestShippedSettingsLoad(t *testing.T) {
	for path := range shipped {
		for _, p := range load(t, path).Lint() {
			if !slices.Contains(meant[path], p.Key) {
				t.Errorf("%s: %s", path, p)
			}
		}
	}
	for _, path := range files(t, "pamline.yaml", ".example.yaml") {
		if _, known := shipped[path]; !known && !strings.HasPrefix(path, "compose/config/grafana/") {
			t.Errorf("%s is not among the tested settings", path)
		}
	}
}

func TestEveryVariableIsASetting(t *testing.T) {
	var known []string
	for _, f := range config.Fields() {
		if f.Type != "section" {
			known = append(known, f.Env())
		}
	}
	// PAMLINE_VERSION is read by Compose alone and reaches no container.
	known = append(known, config.Reserved...)
	variable := regexp.MustCompile(`\bPAMLINE_[A-Z0-9_]+\b`)
	found := 0
	for _, path := range files(t, ".yaml", ".service", ".md") {
		for _, name := range variable.FindAllString(read(t, path), -1) {
			found++
			if !slices.Contains(known, name) && (name != "PAMLINE_VERSION" || path != "compose/compose.yaml") {
				t.Errorf("%s: there is no setting %s", path, name)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d variables were found", found)
	}
}

// patience holds the time that a worker has to stop to what it must be longer than.
func patience(t *testing.T, where string, has time.Duration, settings string) {
	t.Helper()
	if c := load(t, settings); has <= max(c.NATS.AckWait, c.NATS.Drain+10*time.Second) {
		t.Errorf("%s gives %s to stop, which is not well longer than nats.ack_wait (%s) and nats.drain (%s)", where, has, c.NATS.AckWait, c.NATS.Drain)
	}
}
