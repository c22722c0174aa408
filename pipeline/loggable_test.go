package pipeline

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

func TestLogsHoldNoPersonalNames(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"refused": zipOf(t, map[string]string{"letters to Anna Smith/divorce.json": `{"secret thing":1}`}),
		"broken": func() string {
			f := filepath.Join(t.TempDir(), "Anna Smith divorce.zip")
			writeFile(t, f, "PK\x03\x04 nothing")
			return f
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			core, logs := observer.New(zap.DebugLevel)
			d := testDeps(t)
			d.Log = zap.New(core)
			r := runImport(t, d, "me", file)
			t.Log(r.State, r.Reason)
			for _, e := range logs.All() {
				line := fmt.Sprint(e.Message, " ", e.ContextMap())
				if strings.Contains(line, "Anna") || strings.Contains(line, "divorce") || strings.Contains(line, "secret") {
					t.Errorf("log: %s", line)
				}
			}
		})
	}
}
