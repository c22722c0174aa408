package validate

import (
	"bytes"
	"slices"
	"testing"

	"github.com/pamline/pamline/pamio/sums"
)

var companionMutations = map[string][]mutation{
	"dag-unknown": {
		{name: "parent", change: set(conv2, "/messages/1/parent_id", "x")},
		{name: "child", change: set(conv1, "/messages/1/children_ids", []any{"x"})},
	},
	"dag-direction": {{name: "parent does not list it", change: set(conv1, "/messages/0/children_ids", []any{"m2"})},
		{name: "child does not name it", change: del(conv1, "/messages/2/parent_id")}},
	"dag-cycle": {{name: "self", change: each(set(conv2, "/messages/1/parent_id", "n2"), set(conv2, "/messages/1/children_ids", []any{"n2"}))},
		{name: "two", change: each(set(conv1, "/messages/0/parent_id", "m2"), set(conv1, "/messages/1/children_ids", []any{"m1"}))}},
	"message-order": {{name: "linear", change: set(conv2, "/messages/1/created_at", "2026-01-03T00:00:00Z")}},
	"content-shape": {
		{name: "text without text", change: del(conv2, "/messages/0/content/text")},
		{name: "text with parts", change: set(conv2, "/messages/0/content/parts", []any{map[string]any{"type": "text"}})},
		{name: "multipart without parts", change: set(conv1, "/messages/2/content/parts", []any{})},
		{name: "multipart with text", change: set(conv1, "/messages/2/content/text", "x")}},
	"embedding-dimensions":    {{name: "fewer", change: set(embFile, "/embeddings/0/dimensions", 4)}},
	"embedding-empty":         {{name: "neither", change: del(embFile, "/embeddings/1/storage")}},
	"embedding-memory-unique": {{name: "twice", change: each(set(embFile, "/embeddings/1/memory_id", "mem-a"), del(storeFile, m+"1/embedding_ref"))}},
	"embedding-file-missing":  {{name: "missing", change: func(f *fixture) Target { delete(f.files, embFile); return f.bundle() }}},
	"xref-embedding":          {{name: "unknown", change: set(storeFile, m+"2/embedding_ref", "emb-x")}},
	"xref-embedding-memory":   {{name: "unknown", change: each(set(embFile, "/embeddings/1/memory_id", "mem-x"), del(storeFile, m+"1/embedding_ref"))}},
	"embedding-mismatch":      {{name: "of another memory", change: set(storeFile, m+"2/embedding_ref", "emb-1")}},
	"bundle-store-missing":    {{name: "no store", change: func(f *fixture) Target { delete(f.files, storeFile); return f.bundle() }}},
	"schema-version-mismatch": {
		{name: "conversation", change: set(conv2, "/schema_version", "1.0-rc1")},
		{name: "embeddings", change: set(embFile, "/schema_version", "1.0-rc1")},
	},
	"storage-escape": {
		{name: "up", change: each(set(storeFile, "/conversations_index/1/storage/ref", "../conv-2.json"), dropSecond)},
		{name: "up and back", change: each(set(storeFile, "/conversations_index/1/storage/ref", "conversations/../conversations/conv-2.json"), dropSecond)},
		{name: "absolute", change: each(set(storeFile, "/conversations_index/1/storage/ref", "/etc/passwd"), dropSecond)},
		{name: "drive", change: each(set(storeFile, "/conversations_index/1/storage/ref", "C:/x.json"), dropSecond)},
		{name: "backslash", change: each(set(storeFile, "/conversations_index/1/storage/ref", `conversations\conv-2.json`), dropSecond)},
	},
	"storage-missing": {{name: "missing", change: dropSecond}},
	"storage-shared": {{name: "one file", change: each(set(storeFile, "/conversations_index/1/storage/ref", conv1), dropSecond)},
		{name: "with another spelling", change: each(set(storeFile, "/conversations_index/1/storage/ref", "./"+conv1), dropSecond)}},
	"conversation-extra": {{name: "not named", change: func(f *fixture) Target {
		f.files["conversations/more/conv-3.json"] = f.files[conv2]
		return f.bundle()
	}}},
	"crossfile-id":       {{name: "other", change: set(conv2, "/id", "conv-9")}},
	"crossfile-title":    {{name: "other", change: set(conv1, "/title", "Another")}, {name: "none", change: del(conv1, "/title")}},
	"crossfile-platform": {{name: "other", change: set(conv2, "/provider/name", "grok")}},
	"crossfile-message-count": {{name: "more", change: set(storeFile, "/conversations_index/0/message_count", 4)},
		{name: "more than there can be", change: set(storeFile, "/conversations_index/0/message_count", 1e300)}},
	"crossfile-created-at": {{name: "other", change: set(conv1, "/temporal/created_at", "2026-01-02T08:00:00Z")}},
	"crossfile-updated-at": {
		{name: "other", change: set(conv1, "/temporal/updated_at", "2026-01-02T10:00:00Z")},
		{name: "none", change: del(conv1, "/temporal/updated_at")},
	},
	"asset-missing": {
		{name: "attachment", change: withAsset("tree", "assets/none.txt")},
		{name: "part", change: each(withAsset("tree", "assets/"+treeDigest+".txt"), set(conv1, "/messages/2/content/parts/0/ref", "assets/none.txt"))},
	},
	"attachment-escape": {
		{name: "up", change: attach("../../etc/passwd")},
		{name: "absolute", change: attach("/etc/passwd")},
		{name: "backslash", change: attach(`assets\x.png`)},
		{name: "drive", change: attach("C:/x.png")},
		{name: "part", change: set(conv1, "/messages/2/content/parts/0/ref", "assets/../../x")},
	},
	"attachment-missing": {
		{name: "attachment", change: attach("attachments/none.png")},
		{name: "a folder", change: attach("./conversations")},
		{name: "part", change: set(conv1, "/messages/2/content/parts/0/ref", "images/none.png")},
	},
	"reference-empty": {
		{name: "conversation", change: each(set(storeFile, m+"2/provenance/conversation_ref", ""), set(storeFile, "/conversations_index/1/derived_memories", []any{}))},
		{name: "message", change: set(storeFile, m+"2/provenance/message_ref", "")},
		{name: "embedding", change: set(storeFile, m+"2/embedding_ref", "")},
		{name: "successor", change: set(storeFile, m+"2/temporal/superseded_by", "")},
		{name: "parent", change: set(conv2, "/messages/0/parent_id", "")},
		{name: "attachment", change: attach("")},
	},
	"xref-message": {
		{name: "unknown", change: set(storeFile, m+"0/provenance/message_ref", "m9")},
	},
	"import-metadata-absent": {
		{name: "none", change: del(conv1, "/import_metadata")},
		{name: "empty", change: set(conv1, "/import_metadata", map[string]any{})},
	},
	"asset-damaged": {{name: "changed", change: withAsset("trees", "assets/"+treeDigest+".txt")}},
	"conversation-damaged": {{name: "another digest", change: func(f *fixture) Target {
		const name = "conversations/0c5d0a6e-7b60-4a0e-9f1c-3f2f0b6c9d11.0123456789abcdef.json"
		f.files[name] = f.files[conv2]
		f.set(storeFile, "/conversations_index/1/storage/ref", name)
		return dropSecond(f)
	}}},
	"sums-differs":   {{name: "changed", change: withSums(func(f *fixture) { f.write("more.txt", "other words") })}},
	"sums-missing":   {{name: "removed", change: withSums(func(f *fixture) { delete(f.files, "more.txt") })}},
	"sums-extra":     {{name: "added", change: withSums(func(f *fixture) { f.write("even-more.txt", "") })}},
	"sums-malformed": {{name: "a line of words", change: withSums(func(f *fixture) { f.write(sums.File, "words\n") })}},
	"folder-differs": {{name: "known", change: func(f *fixture) Target {
		t := f.bundle()
		t.Known = []Known{{"more.txt", "the file is missing"}}
		return t
	}}},
	"crossfile-tags": {{name: "other", change: set(conv1, "/tags", []any{"house"})}},
}

// withSums adds a file and the list of the digests of all files, and changes the bundle then.
func withSums(change func(*fixture)) func(*fixture) Target {
	return func(f *fixture) Target {
		f.write("more.txt", "words")
		l := sums.NewList(f.t.TempDir())
		defer l.Close()
		for name := range f.files {
			digest, _, err := sums.DigestOf(f.files, name)
			if err == nil {
				err = l.Add(name, digest)
			}
			if err != nil {
				f.t.Fatal(err)
			}
		}
		var text bytes.Buffer
		if _, err := l.Write(&text); err != nil {
			f.t.Fatal(err)
		}
		f.write(sums.File, text.String())
		change(f)
		return f.bundle()
	}
}

// withAsset adds a file below assets/, whose name is the digest of "tree", and a message that names
// it.
func withAsset(text, ref string) func(*fixture) Target {
	return func(f *fixture) Target {
		f.write("assets/"+treeDigest+".txt", text)
		f.set(conv1, "/messages/0/attachments", []any{map[string]any{"type": "file", "ref": "https://x.example/y"}, map[string]any{"type": "file", "ref": ref}})
		return f.bundle()
	}
}

const treeDigest = "dc9c5edb8b2d479e697b4b0b8ab874f32b325138598ce9e7b759eb8292110622"

func dropSecond(f *fixture) Target { delete(f.files, conv2); return f.bundle() }

// attach gives a message an attachment with this ref.
func attach(ref string) func(*fixture) Target {
	return set(conv1, "/messages/0/attachments", []any{map[string]any{"type": "file", "ref": ref}})
}

func TestRefsThatAreNoPathsArePassedOver(t *testing.T) {
	for _, ref := range []string{"file-abc", "photo.png", "https://example.org/a/b.png", "sediment://file_1/x", "data:image/png;base64,AA/=", "./conversations/conv-2.json"} {
		if _, found := run(t, attach(ref)(newFixture(t)), Options{Strict: true}); len(found) > 0 {
			t.Errorf("%s: %v", ref, found)
		}
	}
}

func TestFilesOfADeltaMayLieInItsBase(t *testing.T) {
	change := delta(set(conv1, "/messages/0/attachments", []any{map[string]any{"type": "file", "ref": "assets/x.txt"}}))
	base := func(files ...string) Options {
		f := newFixture(t)
		for _, name := range files {
			f.write(name, "x")
		}
		target := f.bundle()
		return Options{Base: &target}
	}
	for name, c := range map[string]struct {
		o    Options
		want []string
	}{
		"without the base": {Options{}, []string{"xref-external"}},
		"in the base":      {base("assets/x.txt"), []string{}},
		"nowhere":          {base(), []string{"asset-missing"}},
	} {
		_, found := run(t, change(newFixture(t)), c.o)
		if got := ids(found); !slices.Equal(got, c.want) && len(got)+len(c.want) > 0 {
			t.Errorf("%s: %v, want %v", name, found, c.want)
		}
	}
}
