package deploy_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// unit is a systemd unit: the values of each key, in order.
func unit(t *testing.T, path string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for line := range strings.Lines(read(t, path)) {
		line = strings.TrimSpace(line)
		key, value, ok := strings.Cut(line, "=")
		switch {
		case line == "", strings.HasPrefix(line, "#"), strings.HasPrefix(line, "["):
		case !ok:
			t.Errorf("%s: what is %q?", path, line)
		default:
			out[key] = append(out[key], value)
		}
	}
	return out
}

// fields are the names of all fields of all structs in a folder of Go files.
func fields(t *testing.T, folder string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	sources, err := filepath.Glob(folder + "/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("%s: %d files, %v", folder, len(sources), err)
	}
	for _, source := range sources {
		f, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.StructType); ok {
				for _, field := range s.Fields.List {
					for _, name := range field.Names {
						out[strings.ToLower(name.Name)] = true
					}
				}
			}
			return true
		})
	}
	return out
}

func TestUnitsRunWhatThereIs(t *testing.T) {
	for _, file := range files(t, ".service") {
		u := unit(t, file)
		words := strings.Fields(u["ExecStart"][0])
		program := path.Base(words[0])
		if _, err := os.Stat("../cmd/" + program + "/main.go"); err != nil || path.Dir(words[0]) != "/usr/local/bin" {
			t.Errorf("%s runs %s: %v", file, words[0], err)
		}
		declared := fields(t, "../cmd/internal/worker")
		if program == "pamline" {
			declared = fields(t, "../cmd/pamline")
		}
		for _, w := range words[1:] {
			name := strings.TrimPrefix(w, "--")
			if !strings.HasPrefix(w, "/") && !declared[name] {
				t.Errorf("%s: %s has no %s", file, program, w)
			}
		}
		settings := "systemd/" + strings.TrimSuffix(path.Base(words[len(words)-1]), ".yaml") + ".example.yaml"
		wait, err := time.ParseDuration(u["TimeoutStopSec"][0])
		if err != nil {
			t.Fatal(err)
		}
		patience(t, file, wait, settings)
	}
}

func TestUnitsAreClosedAndWatched(t *testing.T) {
	for _, file := range files(t, ".service") {
		u := unit(t, file)
		for key, want := range map[string]string{
			"Type": "notify", "DynamicUser": "yes", "ProtectSystem": "strict", "NoNewPrivileges": "yes", "PrivateTmp": "yes",
			"ProtectHome": "yes", "CapabilityBoundingSet": "", "Restart": "on-failure", "UMask": "0077",
		} {
			if !slices.Equal(u[key], []string{want}) {
				t.Errorf("%s: %s is %q, not %q", file, key, u[key], want)
			}
		}
		if d, err := time.ParseDuration(strings.Replace(u["WatchdogSec"][0], "min", "m", 1)); err != nil || d < 30*time.Second {
			t.Errorf("%s: WatchdogSec %v, %v", file, d, err)
		}
		// The decoder of JSON compiles at run time.
		if _, ok := u["MemoryDenyWriteExecute"]; ok {
			t.Errorf("%s forbids executable memory", file)
		}
		// A credential that the settings name is one that the unit loads.
		for _, e := range u["Environment"] {
			_, name, ok := strings.Cut(e, "=%d/")
			if ok && !slices.ContainsFunc(u["LoadCredential"], func(c string) bool { return strings.HasPrefix(c, name+":") }) {
				t.Errorf("%s: there is no credential %s", file, name)
			}
		}
	}
}
