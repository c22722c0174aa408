package validate

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"strings"
)

var textMutations = map[string][]mutation{
	"json-syntax": {
		{name: "in a memory", change: replace(storeFile, `"Lives in Ghent."`, `Lives`), want: []string{"json-syntax"}},
		{name: "between memories", change: replace(storeFile, `"memories": [`, `"memories": [}`)},
		{name: "in the scalars", change: replace(storeFile, `"export_type": "full"`, `"export_type": full`)},
		{name: "in a message", change: replace(conv1, `"How nice."`, `'How nice.'`)},
	},
	"json-nonfinite": {
		{name: "NaN", change: replace(storeFile, `"initial": 0.9`, `"initial": NaN`)},
		{name: "negative infinity in a vector", change: replace(embFile, `-0.25`, `-Infinity`)},
	},
	"json-truncated": {{name: "store", change: func(f *fixture) Target {
		f.write(storeFile, string(f.files[storeFile].Data[:2000]))
		return f.file(storeFile)
	}}, {name: "conversation", change: func(f *fixture) Target {
		data := f.files[conv1].Data
		f.write(conv1, string(data[:len(data)-20]))
		return f.bundle()
	}}},
	"json-depth": {
		{name: "metadata", change: replace(storeFile, `"score": 7`, `"score": `+strings.Repeat("[", 600)+strings.Repeat("]", 600))},
		{name: "limit", change: replace(conv1, `"weight": 1.0`, `"weight": [[[[[[[[1]]]]]]]]`), o: Options{MaxDepth: 8}},
	},
	"json-trailing": {
		{name: "second document", change: func(f *fixture) Target { f.write(conv1, string(f.files[conv1].Data)+"{}"); return f.bundle() }},
		{name: "bracket", change: func(f *fixture) Target { f.write(storeFile, string(f.files[storeFile].Data)+"]"); return f.bundle() }},
	},
	"json-bom": {{name: "store", change: func(f *fixture) Target {
		f.write(storeFile, "\xEF\xBB\xBF"+string(f.files[storeFile].Data))
		return f.bundle()
	}}},
	"json-utf8": {{name: "content", change: replace(storeFile, "Lives in Ghent.", "Lives in Gh\xffent.")},
		{name: "title", change: replace(conv1, "How nice.", "How n\xe9ce.")}},
	"json-lone-surrogate": {{name: "content", change: replace(storeFile, "Lives in Ghent.", `Lives in \ud83d`)},
		{name: "key in metadata", change: replace(storeFile, `"score": 7`, `"\udc00": 7`)}},
	"json-duplicate-key": {
		{name: "memory", change: replace(storeFile, `"content": "Lives in Ghent."`, `"content": "Lives in Ghent.", "content": "Lives in Ghent."`)},
		{name: "escaped", change: replace(storeFile, `"score": 7`, `"score": 7, "sc\u006fre": 7`)},
		{name: "array of the document", change: replace(storeFile, `"relations": [`, `"relations": [], "relations": [`)},
		{name: "scalar of the document", change: replace(storeFile, `"export_type": "full"`, `"export_type": "full", "export_type": "full"`)},
	},
	"json-number-range": {
		{name: "vector", change: replace(embFile, "-0.25", "1e999")},
		{name: "token_count", change: replace(conv1, `"role": "user",`+"\n      \"content\"", `"role": "user", "token_count": 1e400, "content"`)},
	},
	"json-big-integer": {
		{name: "raw_metadata", change: replace(conv1, `"weight": 1.0`, `"weight": 9007199254740993`)},
		{name: "relation", change: replace(storeFile, `"confidence": 0.9,`+"\n      \"created_at\"", `"confidence": -9007199254740993, "created_at"`),
			want: []string{"json-big-integer", "schema-range"}},
	},
	"element-too-big": {
		{name: "memory", change: replace(storeFile, "Lives in Ghent.", strings.Repeat("Lives in Ghent.", 500)), o: Options{MaxElement: 4000}},
		{name: "scalars", change: replace(storeFile, `"export_type": "full"`, `"export_type": "`+strings.Repeat("f", 5000)+`"`), o: Options{MaxElement: 4000}},
	},
	"file-too-big": {
		{name: "conversation", change: func(f *fixture) Target { return f.bundle() }, o: Options{MaxConversation: 500}},
		{name: "conversation alone", change: func(f *fixture) Target {
			f.set(conv1, "/messages/2/content/parts/0/text", strings.Repeat("Lovely. ", 100_000))
			return f.file(conv1)
		}, o: Options{MaxConversation: 500}},
		{name: "embeddings", change: func(f *fixture) Target {
			f.write(embFile, strings.Repeat(" ", 9000)+string(f.files[embFile].Data))
			return f.bundle()
		}, o: Options{MaxFile: 8000}},
	},
	"file-unreadable": {
		{name: "folder instead of a file", change: func(f *fixture) Target {
			delete(f.files, embFile)
			f.write(embFile+"/x", "")
			return f.bundle()
		}},
		{name: "name in a zip that is no path", change: func(f *fixture) Target {
			delete(f.files, storeFile)
			data := bytes.ReplaceAll(zipped(f.t, f, "folder/"), []byte("folder/"), []byte("fold\xff\x1b/"))
			z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				f.t.Fatal(err)
			}
			return Target{Name: "x.zip", FS: z}
		}},
		{name: "read error", change: func(f *fixture) Target {
			return Document("bad", func() (io.ReadCloser, error) { return io.NopCloser(faulty{}), nil })
		}},
	},
	"document-unknown": {
		{name: "array", change: func(f *fixture) Target { f.write("x.json", `[{"mapping":{}}]`); return f.file("x.json") }},
		{name: "empty", change: func(f *fixture) Target { f.write("x.json", ""); return f.file("x.json") }},
		{name: "text", change: func(f *fixture) Target { f.write("x.json", "hello there"); return f.file("x.json") }},
		{name: "no schema", change: func(f *fixture) Target { f.write("x.json", `{"memories":[]}`); return f.file("x.json") }},
		{name: "other schema", change: set(storeFile, "/schema", "portable-ai-memories")},
		{name: "store where a conversation should be", change: func(f *fixture) Target { f.files[conv1] = f.files[storeFile]; return f.bundle() }},
	},
	"schema-version-major": {{name: "2.0", change: func(f *fixture) Target {
		for _, name := range []string{storeFile, embFile, conv1, conv2} {
			f.set(name, "/schema_version", "2.0")
		}
		return f.bundle()
	}}},
	"schema-version-minor": {{name: "1.1", change: newer}},
	"schema-newer": {{name: "1.1", change: each(newer, set(storeFile, m+"0/mood", "calm"), set(storeFile, m+"0/type", "habit")),
		want: []string{"schema-newer", "schema-version-minor"}}},
}

func newer(f *fixture) Target {
	for _, name := range []string{storeFile, embFile, conv1, conv2} {
		f.set(name, "/schema_version", "1.1")
	}
	return f.bundle()
}

// faulty is a file on a broken disk.
type faulty struct{}

func (faulty) Read([]byte) (int, error) { return 0, errors.New("input/output error") }
