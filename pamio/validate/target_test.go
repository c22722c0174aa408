package validate

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestOpenFindsOutWhatAPathIs(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	f := newFixture(t)
	for _, c := range []struct {
		name, path string
		want       Seen
	}{
		{"folder", "testdata/bundle", Seen{Stores: 1, Conversations: 2}},
		{"store", "testdata/bundle/memory-store.json", Seen{Stores: 1}},
		{"conversation", "testdata/bundle/" + conv1, Seen{Conversations: 1}},
		{"zip", write("bundle.zip", zipped(t, f, "")), Seen{Stores: 1, Conversations: 2}},
		{"zip with a folder, under another name", write("bundle.bin", zipped(t, f, "my-export/")), Seen{Stores: 1, Conversations: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			target, closer, err := Open(c.path)
			if err != nil {
				t.Fatal(err)
			}
			r := expect(t, target, Options{Strict: true}, Valid)
			if r.Seen.Stores != c.want.Stores || r.Seen.Conversations != c.want.Conversations {
				t.Errorf("seen %+v", r.Seen)
			}
			if err := closer.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	for name, path := range map[string]string{
		"missing":     filepath.Join(dir, "missing"),
		"zip cut off": write("cut.zip", zipped(t, f, "")[:300]),
	} {
		if _, _, err := Open(path); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestLinksOutOfAFolderAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "in"), os.DirFS("testdata/bundle")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "in", conv2)
	if err := os.Rename(file, filepath.Join(dir, "outside.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "outside.json"), file); err != nil {
		t.Skip("this file system has no links")
	}
	target, closer, err := Open(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	expect(t, target, Options{}, Invalid, "storage-missing")
}

func TestRunEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, newFixture(t).bundle(), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestBaseThatCannotBeReadIsAnError(t *testing.T) {
	f := newFixture(t)
	f.write("broken.json", `{"schema":"portable-ai-memory","memories":[{]}`)
	f.write("other.json", `{"schema":"something"}`)
	for _, file := range []string{"broken.json", "other.json", "missing.json", conv1} {
		base := f.file(file)
		if _, err := Run(context.Background(), f.bundle(), Options{Base: &base}); err == nil {
			t.Errorf("%s: no error", file)
		}
	}
}

func TestStoreThatChangesWhileItIsReadIsAnError(t *testing.T) {
	f := newFixture(t)
	reverse(f)
	times := 0
	target := Document("moving", func() (io.ReadCloser, error) {
		if times++; times > 1 {
			f.del(storeFile, "/memories/0")
		}
		file, err := f.files.Open(storeFile)
		return file, err
	})
	if _, err := Run(context.Background(), target, Options{}); err == nil {
		t.Error("no error")
	}
}

func TestDeltaIsCheckedWithItsBase(t *testing.T) {
	t.Run("together they are a store", func(t *testing.T) {
		f := newFixture(t)
		expect(t, delta()(f), withBase(), Valid)
	})
	t.Run("what neither has is missing", func(t *testing.T) {
		f := newFixture(t)
		expect(t, delta(set(storeFile, "/conversations_index/0/derived_memories/-", "mem-x"))(f), withBase(), Invalid, "xref-derived")
	})
	t.Run("a memory of the base is left out of the new index entry", func(t *testing.T) {
		f := newFixture(t)
		expect(t, delta(set(storeFile, "/conversations_index/0/derived_memories", []any{"mem-a"}))(f), withBase(), Invalid, "xref-bidirectional")
	})
	t.Run("a circle through the base", func(t *testing.T) {
		f := newFixture(t)
		base := newFixture(t)
		base.set(storeFile, "/memories/2/temporal/superseded_by", "mem-a")
		base.set(storeFile, "/memories/2/status", "superseded")
		b := base.bundle()
		change := delta(set(storeFile, "/memories/0/temporal/superseded_by", "mem-b"), set(storeFile, "/memories/0/status", "superseded"))
		expect(t, change(f), Options{Base: &b}, Invalid, "supersession-cycle")
	})
	t.Run("a memory of the base that is replaced leads nowhere any more", func(t *testing.T) {
		f := newFixture(t)
		base := newFixture(t)
		base.set(storeFile, "/memories/0/temporal/superseded_by", "mem-b")
		base.set(storeFile, "/memories/2/temporal/superseded_by", "mem-a")
		b := base.bundle()
		expect(t, delta()(f), Options{Base: &b}, Valid)
	})
}

func TestFullExportStandsAloneBesideItsBase(t *testing.T) {
	f := newFixture(t)
	f.del(storeFile, "/memories/3")
	f.set(storeFile, "/relations/0/from", "mem-d")
	f.set(storeFile, "/memories/2/embedding_ref", "emb-9")
	f.set(storeFile, "/memories/2/provenance/conversation_ref", "conv-9")
	f.set(storeFile, "/conversations_index/1/derived_memories", []any{})
	f.set(storeFile, "/memories/2/status", "deprecated")
	base := newFixture(t)
	base.set(storeFile, "/memories/2/status", "retracted")
	base.set(storeFile, "/conversations_index/1/id", "conv-9")
	base.set(embFile, "/embeddings/1/id", "emb-9")
	b := base.bundle()
	expect(t, f.bundle(), Options{Base: &b}, Invalid, "lifecycle-transition", "xref-conversation", "xref-embedding", "xref-relation")
}

func TestFindingsOfOneKindAreCappedAndCounted(t *testing.T) {
	f := newFixture(t)
	for i := range 4 {
		f.set(storeFile, "/memories/"+string(rune('0'+i))+"/mood", "calm")
		f.set(storeFile, "/memories/"+string(rune('0'+i))+"/content", "x")
	}
	r, found := run(t, f.bundle(), Options{MaxFindings: 2})
	if len(found) != 4 || r.Counts["schema-unknown-field"] != 4 || r.Suppressed["schema-unknown-field"] != 2 || r.Suppressed["content-hash"] != 2 || r.Errors != 8 {
		t.Errorf("found %d, report %+v", len(found), r)
	}
	r, found = run(t, f.bundle(), Options{MaxFindings: -1})
	if len(found) != 0 || r.Errors != 8 || r.Suppressed["content-hash"] != 4 {
		t.Errorf("found %d, report %+v", len(found), r)
	}
}

func TestArrayUnderAnEscapedKeyIsChecked(t *testing.T) {
	f := newFixture(t)
	f.replace(storeFile, `"memories": [`, `"m\u0065mories": [`)
	expect(t, f.bundle(), Options{Strict: true}, Valid)
	f.replace(storeFile, `Lives in Ghent.`, `Lives in Rome.`)
	expect(t, f.bundle(), Options{}, Invalid, "content-hash", "integrity-checksum")
}
