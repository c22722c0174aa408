package validate

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"testing"
)

// small limits, so that they are reached.
var fuzzed = Options{MaxElement: 16 << 10, MaxConversation: 64 << 10, MaxFile: 64 << 10, MaxDepth: 32, MaxChains: 64, Budget: 4 << 10, MaxFindings: 3}

func fuzzTarget(t *testing.T, target Target, strict bool) {
	o := fuzzed
	o.Strict = strict
	handed := map[string]int64{}
	o.OnFinding = func(f Finding) { handed[f.ID]++ }
	r, err := Run(context.Background(), target, o)
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	var sum int64
	for id, n := range r.Counts {
		sum += n
		if handed[id]+r.Suppressed[id] != n || handed[id] > 3 {
			t.Errorf("%s: %d found, %d handed over, %d suppressed", id, n, handed[id], r.Suppressed[id])
		}
	}
	if sum != r.Errors+r.Warnings+r.Infos {
		t.Errorf("%d findings by id, %d by severity", sum, r.Errors+r.Warnings+r.Infos)
	}
	if r.Unusable && r.Errors == 0 {
		t.Error("unusable without an error")
	}
}

func FuzzDocument(f *testing.F) {
	for _, name := range []string{storeFile, embFile, conv1, conv2} {
		data, err := os.ReadFile("testdata/bundle/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(bytes.ReplaceAll(data, []byte(" "), nil))
		f.Add(data[:len(data)/2])
	}
	for _, s := range []string{"", "[", "{", "[]", "{}", "null", "\xEF\xBB\xBF{}",
		`{"schema":"portable-ai-memory"}`, `{"memories":[1,"x",null,[]],"schema":"portable-ai-memory"}`,
		`{"messages":[{"id":"a","parent_id":"a"}],"schema":"portable-ai-memory-conversation","memories":[{"id":"x"}]}`,
		`{"schema":"portable-ai-memory","export_type":"incremental","memories":[{"id":"a","temporal":{"superseded_by":"b"}},{"id":"b","temporal":{"superseded_by":"a"}}]}`,
		`{"m\u0065mories":[{"id":"a"}],"embeddings":[{"vector":[1e999]}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
		fuzzTarget(t, Document("fuzzed", open), len(data)%2 == 0)
	})
}

func FuzzZip(f *testing.F) {
	f.Add(zipped(f, newFixture(f), ""))
	f.Add(zipped(f, newFixture(f), "in/a/folder/"))
	f.Add(zipped(f, newFixture(f), "folder/"))
	f.Fuzz(func(t *testing.T, data []byte) {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return // not a zip
		}
		fuzzTarget(t, Target{Name: "fuzzed.zip", FS: z}, len(data)%2 == 0)
	})
}

// zipped packs a fixture below a folder.
func zipped(t testing.TB, f *fixture, prefix string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, file := range f.files {
		w, err := z.Create(prefix + name)
		if err == nil {
			_, err = w.Write(file.Data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func FuzzRules(f *testing.F) {
	fixture := newFixture(f)
	arrays := wrapperKeys()
	for i, wrapper := range arrays {
		file := storeFile
		switch wrapper {
		case "messages":
			file = conv1
		case "embeddings":
			file = embFile
		}
		for _, v := range fixture.get(file, "/"+wrapper).([]any) {
			f.Add(uint8(i), fixture.encode(v))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		wrapper := arrays[int(which)%len(arrays)]
		agree(t, wrapper, elementParts[wrapper], data)
	})
}
