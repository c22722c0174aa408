package logging

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/pamline/pamline/config"
)

func TestFormats(t *testing.T) {
	for name, tc := range map[string]struct {
		format   string
		terminal bool
		json     bool
	}{
		"json":             {"json", true, true},
		"console":          {"console", false, false},
		"auto, terminal":   {"auto", true, false},
		"auto, no console": {"auto", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			log, err := New(&out, "info", tc.format, tc.terminal)
			if err != nil {
				t.Fatal(err)
			}
			log.Info("import opened", zap.String("import", "1234"))
			if !strings.Contains(out.String(), "import opened") || !strings.Contains(out.String(), "1234") {
				t.Errorf("wrote %q", out.String())
			}
			if got := json.Valid(out.Bytes()); got != tc.json {
				t.Errorf("JSON: %v, in %q", got, out.String())
			}
		})
	}
}

func TestTheLevelHolds(t *testing.T) {
	var out bytes.Buffer
	log, err := New(&out, "warn", "json", false)
	if err != nil {
		t.Fatal(err)
	}
	log.Info("quiet")
	log.Warn("loud")
	if strings.Contains(out.String(), "quiet") || !strings.Contains(out.String(), "loud") {
		t.Errorf("wrote %q", out.String())
	}
}

func TestWrongSettingsAreErrors(t *testing.T) {
	if _, err := New(&bytes.Buffer{}, "loud", "json", false); err == nil {
		t.Error("accepted a level")
	}
	if _, err := New(&bytes.Buffer{}, "info", "xml", false); err == nil {
		t.Error("accepted a format")
	}
}

func TestALoggedConfigurationShowsNoSecret(t *testing.T) {
	c := config.Default()
	c.Store.S3.SecretAccessKey = config.NewSecret("CANARY")
	for _, format := range []string{"json", "console"} {
		var out bytes.Buffer
		log, err := New(&out, "debug", format, false)
		if err != nil {
			t.Fatal(err)
		}
		log.Info("settings", zap.Any("config", c), zap.Reflect("s3", c.Store.S3), zap.Any("secret", c.Store.S3.SecretAccessKey), zap.Stringer("s", c.Store.S3.SecretAccessKey))
		if strings.Contains(out.String(), "CANARY") {
			t.Errorf("%s shows the secret: %s", format, out.String())
		}
	}
}
