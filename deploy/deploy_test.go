// Package deploy_test holds what is shipped for operators to the code: every file parses, and every
// setting, stream, consumer, port, metric, program, flag and runbook that is named there exists.
// deploy/lint looks with the operators' own tools.
package deploy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write the files that are made of others")

// object is a document of YAML or JSON.
type object = map[string]any

// files lists what lies below this folder with one of the endings.
func files(t *testing.T, endings ...string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		for _, end := range endings {
			if strings.HasSuffix(path, end) {
				out = append(out, filepath.ToSlash(path))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatalf("there are no files %v", endings)
	}
	return out
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// documents are those of a YAML file, anchors resolved. A key that stands twice is an error.
func documents(t *testing.T, path string) []object {
	t.Helper()
	var out []object
	d := yaml.NewDecoder(strings.NewReader(read(t, path)))
	for {
		var o object
		switch err := d.Decode(&o); {
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			t.Fatalf("%s: %v", path, err)
		case o != nil:
			out = append(out, o)
		}
	}
}

// document is the only one of a YAML file.
func document(t *testing.T, path string) object {
	t.Helper()
	docs := documents(t, path)
	if len(docs) != 1 {
		t.Fatalf("%s has %d documents", path, len(docs))
	}
	return docs[0]
}

// decode brings a piece of a document into the form that a test looks at.
func decode[T any](t *testing.T, piece any) (out T) {
	t.Helper()
	b, err := json.Marshal(piece)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return out
}

// at follows keys into a document; nil when there is nothing.
func at(o any, keys ...string) any {
	for _, k := range keys {
		m, _ := o.(object)
		o = m[k]
	}
	return o
}

// The master key of a container outlives it: both images look for it where nothing lies, and the
// component of Kubernetes mounts the file that it names.
func TestTheMasterKeyIsMounted(t *testing.T) {
	for file, want := range map[string]string{
		"Dockerfile":                  "\nENV XDG_CONFIG_HOME=/config\n",
		"../tools/release/image.go":   `"XDG_CONFIG_HOME=/config"`,
		"compose/config/pamline.yaml": "key_file: /run/secrets/master-key",
		"systemd/pamline.service":     "\nEnvironment=PAMLINE_ENCRYPTION__KEY_FILE=%d/master.key\n",
	} {
		if !strings.Contains(read(t, file), want) {
			t.Errorf("%s does not have %q", file, want)
		}
	}
	component := decode[struct {
		Patches []struct {
			Patch string `json:"patch"`
		} `json:"patches"`
	}](t, document(t, "kubernetes/components/encryption/kustomization.yaml"))
	patch := component.Patches[0].Patch
	for _, want := range []string{"mountPath: /etc/pamline/master,", "name: PAMLINE_ENCRYPTION__KEY_FILE, value: /etc/pamline/master/master.key}", "secretName: pamline-master, defaultMode: 0440"} {
		if !strings.Contains(patch, want) {
			t.Errorf("the component encryption does not have %q", want)
		}
	}
}

func TestEveryFileParses(t *testing.T) {
	for _, path := range files(t, ".yaml", ".yml") {
		documents(t, path)
	}
	for _, path := range files(t, ".json") {
		d := json.NewDecoder(strings.NewReader(read(t, path)))
		var o object
		if err := d.Decode(&o); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range append(files(t, ".yaml", ".json", ".service", ".conf", ".md", ".sh"), "Dockerfile", "lint", "compose/init") {
		if b := []byte(read(t, path)); bytes.Contains(b, []byte("\t")) || bytes.Contains(b, []byte("\r")) || !bytes.HasSuffix(b, []byte("\n")) {
			t.Errorf("%s has tabs, carriage returns, or no newline at its end", path)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
