package validate

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pamline/pamline/pamio"
)

const (
	storeFile = pamio.StoreFile
	embFile   = pamio.EmbeddingsFile
	conv1     = "conversations/conv-1.json"
	conv2     = "conversations/conv-2.json"
)

// fixture is the synthetic bundle of testdata in memory, to be changed.
type fixture struct {
	t     testing.TB
	files fstest.MapFS
	open  bool // the checksum is left as it is
}

func newFixture(t testing.TB) *fixture {
	f := &fixture{t: t, files: fstest.MapFS{}}
	err := fs.WalkDir(os.DirFS("testdata/bundle"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile("testdata/bundle/" + name)
		f.files[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fixture) bundle() Target { return Target{Name: "bundle", FS: f.files} }

func (f *fixture) file(name string) Target { return Target{Name: name, FS: f.files, File: name} }

// set puts a value under a pointer of a file; "-" at its end appends. The checksum of the store is
// made anew.
func (f *fixture) set(file, pointer string, value any) {
	f.edit(file, pointer, func(parent any, last string) any {
		switch p := parent.(type) {
		case map[string]any:
			p[last] = value
		case []any:
			if last == "-" {
				return append(p, value)
			}
			p[f.number(last)] = value
		}
		return parent
	})
}

// del takes a value away.
func (f *fixture) del(file, pointer string) {
	f.edit(file, pointer, func(parent any, last string) any {
		switch p := parent.(type) {
		case map[string]any:
			if _, ok := p[last]; !ok {
				f.t.Fatalf("%s has no %s", file, pointer)
			}
			delete(p, last)
		case []any:
			i := f.number(last)
			return append(p[:i:i], p[i+1:]...)
		}
		return parent
	})
}

// replace changes the text of a file.
func (f *fixture) replace(file, old, new string) {
	data := f.files[file].Data
	if !bytes.Contains(data, []byte(old)) {
		f.t.Fatalf("%s has no %q", file, old)
	}
	f.files[file] = &fstest.MapFile{Data: bytes.Replace(data, []byte(old), []byte(new), 1)}
}

func (f *fixture) number(s string) int {
	i, err := strconv.Atoi(s)
	if err != nil {
		f.t.Fatal(err)
	}
	return i
}

func (f *fixture) edit(file, pointer string, change func(parent any, last string) any) {
	f.t.Helper()
	d := json.NewDecoder(bytes.NewReader(f.files[file].Data))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		f.t.Fatal(err)
	}
	tokens := strings.Split(pointer, "/")[1:]
	var walk func(v any, tokens []string) any
	walk = func(v any, tokens []string) any {
		if len(tokens) == 1 {
			return change(v, tokens[0])
		}
		switch v := v.(type) {
		case map[string]any:
			v[tokens[0]] = walk(v[tokens[0]], tokens[1:])
		case []any:
			i := f.number(tokens[0])
			v[i] = walk(v[i], tokens[1:])
		default:
			f.t.Fatalf("%s has no %s", file, pointer)
		}
		return v
	}
	doc = walk(doc, tokens)
	if file == storeFile && !strings.HasPrefix(pointer, "/integrity") && !f.open {
		f.seal(doc)
	}
	f.files[file] = &fstest.MapFile{Data: f.encode(doc)}
}

func (f *fixture) encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		f.t.Fatal(err)
	}
	return b.Bytes()
}

// seal makes the integrity block fit the memories, where they have a checksum.
func (f *fixture) seal(doc any) {
	root := doc.(map[string]any)
	block, ok := root["integrity"].(map[string]any)
	memories, ok2 := root["memories"].([]any)
	if !ok || !ok2 {
		return
	}
	raw := make([][]byte, len(memories))
	for i, m := range memories {
		raw[i] = f.encode(m)
	}
	block["total_memories"] = len(memories)
	if sum, err := pamio.Checksum(raw); err == nil {
		block["checksum"] = sum
	}
}

// write puts a file into the bundle.
func (f *fixture) write(file, text string) { f.files[file] = &fstest.MapFile{Data: []byte(text)} }

// copy gives a value of a file, to be put elsewhere.
func (f *fixture) get(file, pointer string) any {
	var doc any
	if err := json.Unmarshal(f.files[file].Data, &doc); err != nil {
		f.t.Fatal(err)
	}
	for _, token := range strings.Split(pointer, "/")[1:] {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[token]
		case []any:
			doc = v[f.number(token)]
		}
	}
	return doc
}

// silentT lets a fixture be built outside of a test.
type silentT struct{ testing.TB }

func (silentT) Helper() {}

func (silentT) Fatal(args ...any) { panic(args) }
