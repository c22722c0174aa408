package config

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated files")

func TestSecretsAreNeverShown(t *testing.T) {
	c := load(t, Sources{Set: map[string]string{"store.s3.access_key_id": "id", "store.s3.secret_access_key": "CANARY", "store.s3.session_token": "CANARY", "http.token": "CANARY-CANARY-CANARY"}})
	var yaml strings.Builder
	if err := c.Print(&yaml); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	reflected, err := json.Marshal(c.Store.S3)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"YAML": yaml.String(), "JSON": string(asJSON), "reflected JSON": string(reflected),
		"%v": fmt.Sprintf("%v", c), "%+v": fmt.Sprintf("%+v", c.Store), "%#v": fmt.Sprintf("%#v", c.Store.S3), "%#v of a token": fmt.Sprintf("%#v", c.HTTP), "%x": fmt.Sprintf("%x", c.Store.S3.SecretAccessKey),
	} {
		if strings.Contains(text, "CANARY") || strings.Contains(text, "43414e415259") {
			t.Errorf("%s shows the secret: %s", name, text)
		}
	}
	if !strings.Contains(string(asJSON), Hidden) || !strings.Contains(yaml.String(), Hidden) {
		t.Error("a secret that is set looks as if it were not")
	}
}

func TestWhatIsPrintedIsReadBackEqual(t *testing.T) {
	c := load(t, Sources{Set: map[string]string{
		"owner": "me", "limits.max_conversation": "12345678", "limits.max_total": "3TiB", "drop.settle": "1m", "retry.max_delay": "1h", "store.s3.prefix": "a \"b\"/", "store.s3.path_style": "true",
	}})
	var text strings.Builder
	if err := c.Print(&text); err != nil {
		t.Fatal(err)
	}
	if back := load(t, Sources{File: write(t, "c.yaml", text.String())}); !reflect.DeepEqual(back, c) {
		t.Errorf("read back as %+v\nfrom\n%s", back, text.String())
	}
}

func TestEverySettingIsDeclaredWhole(t *testing.T) {
	seen := make(map[string]bool)
	section := ""
	for _, f := range Fields() {
		if f.Key == "" || strings.HasSuffix(f.Key, ".") || seen[f.Key] {
			t.Errorf("%q: a key of its own is needed", f.Key)
		}
		seen[f.Key] = true
		if len(f.Doc) < 20 || !strings.HasSuffix(f.Doc, ".") {
			t.Errorf("%s: the explanation is not a sentence: %q", f.Key, f.Doc)
		}
		if strings.HasSuffix(f.Type, "number") && f.Unit == "" && f.Key != "workers" {
			t.Errorf("%s: a number without a unit", f.Key)
		}
		if f.Min != "" {
			_ = f.least()
		}
		// The reference page puts a setting under the heading before it.
		if f.Type == "section" {
			section = f.Key
		} else if parent := f.Key[:max(strings.LastIndexByte(f.Key, '.'), 0)]; parent != section {
			t.Errorf("%s stands behind a section of another name: put settings before sections", f.Key)
		}
		if key, _ := envKey(f.Env(), ""); key != f.Key && f.Type != "section" {
			t.Errorf("%s is called %s in the environment, which means %s", f.Key, f.Env(), key)
		}
	}
}

func TestGeneratedFilesAreUpToDate(t *testing.T) {
	for path, want := range map[string]string{
		"../docs/configuration.md":       referencePage(),
		"../deploy/pamline.example.yaml": exampleFile(),
	} {
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is out of date: run go test ./config -update", path)
		}
	}
}

func TestTheExampleIsTheDefaults(t *testing.T) {
	if c := load(t, Sources{File: write(t, "c.yaml", exampleFile())}); !reflect.DeepEqual(c, Default()) {
		t.Errorf("the example differs: %+v", c)
	}
	// With every setting switched on, the values are still the defaults.
	var on strings.Builder
	for _, line := range strings.Split(exampleFile(), "\n") {
		if before, after, ok := strings.Cut(line, "# "); ok && strings.Contains(after, ": ") && !strings.Contains(after, ". ") && !strings.HasSuffix(after, ".") {
			line = before + after
		}
		on.WriteString(line + "\n")
	}
	if !strings.Contains(on.String(), "\nworkers: 0\n") || !strings.Contains(on.String(), "\n  max_conversation: 128MiB\n") {
		t.Fatal("nothing was switched on")
	}
	if c := load(t, Sources{File: write(t, "c.yaml", on.String())}); !reflect.DeepEqual(c, Default()) {
		t.Errorf("the example switched on differs: %+v", c)
	}
}
