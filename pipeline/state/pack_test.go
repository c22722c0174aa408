package state_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// packOf stores a pack of texts with its list, and gives the manifest that names them.
func packOf(t *testing.T, s *statetest.Store, texts ...string) state.Manifest {
	t.Helper()
	m := state.Manifest{V: 1, Owner: "ann", Import: digest, Drop: drop(1)}
	var docs []byte
	var lines []state.SnapshotLine
	for _, text := range texts {
		at := len(docs)
		docs = state.PackFrame(docs, []byte(text))
		lines = append(lines, state.SnapshotLine{Conversation: text[:1], Offset: int64(at), Length: int64(len(docs) - at), Size: int64(len(text))})
	}
	shard := state.ShardID(0, lines, nil)
	h := state.PackHeader{V: 1, Pack: objects.Digest(string(docs)), Shard: shard, Count: len(lines)}
	list, err := state.EncodePackList(state.PackListKey("ann", digest, 0), h, lines)
	if err != nil {
		t.Fatal(err)
	}
	putRaw(t, s, state.PackKey("ann", digest, h.Pack), docs)
	putRaw(t, s, state.PackListKey("ann", digest, 0), list)
	m.Shards = []state.Shard{{ID: shard, List: objects.Digest(string(list)), Snapshots: len(lines)}}
	return m
}

// documents reads a pack by the list that a manifest names.
func documents(t *testing.T, s blob.Store, m state.Manifest) (texts []string, err error) {
	l, err := state.OpenShardList(t.Context(), s, m, m.Shards[0])
	if err != nil {
		return nil, err
	}
	p, err := state.OpenPack(t.Context(), s, state.PackKey(m.Owner, m.Import, l.Pack))
	if err != nil {
		return nil, err
	}
	defer p.Close()
	for line, err := range l.Lines {
		if err != nil {
			return texts, err
		}
		doc, err := p.Next(line.Offset, line.Length, line.Size)
		if err != nil {
			return texts, p.Finish(err)
		}
		texts = append(texts, string(doc))
		p.Forget()
	}
	return texts, p.Finish(nil)
}

func TestThePackOfAManifestIsRead(t *testing.T) {
	s := statetest.New()
	large := strings.Repeat("large ", 1<<20)
	m := packOf(t, s, "one", large, "two")
	if texts, err := documents(t, s, m); err != nil || len(texts) != 3 || texts[0] != "one" || texts[1] != large || texts[2] != "two" {
		t.Errorf("%d documents, %v", len(texts), err)
	}
}

func TestAPackThatIsNotTheManifestsIsPermanent(t *testing.T) {
	for name, damage := range map[string]func(s *statetest.Store, m *state.Manifest, list, docs string){
		"another list of the same shard": func(s *statetest.Store, _ *state.Manifest, list, _ string) {
			body, _ := s.Body(list)
			putRaw(t, s, list, []byte(strings.Replace(body, `"b":3`, `"b":4`, 1)))
		},
		"another shard": func(_ *statetest.Store, m *state.Manifest, _, _ string) { m.Shards[0].ID = "x" },
		"a short list": func(s *statetest.Store, _ *state.Manifest, list, _ string) {
			body, _ := s.Body(list)
			putRaw(t, s, list, []byte(body[:len(body)-9]))
		},
		"a missing list": func(s *statetest.Store, _ *state.Manifest, list, _ string) { _ = s.Delete(t.Context(), list) },
		"a short pack": func(s *statetest.Store, _ *state.Manifest, _, docs string) {
			body, _ := s.Body(docs)
			putRaw(t, s, docs, []byte(body[:len(body)-2]))
		},
		"a missing pack": func(s *statetest.Store, _ *state.Manifest, _, docs string) { _ = s.Delete(t.Context(), docs) },
		"a spoiled pack": func(s *statetest.Store, _ *state.Manifest, _, docs string) {
			body, _ := s.Body(docs)
			putRaw(t, s, docs, []byte(strings.Repeat("\xff", len(body))))
		},
	} {
		s := statetest.New()
		m := packOf(t, s, "one", "two")
		h, err := state.OpenPackList(t.Context(), s, state.PackListKey("ann", digest, 0))
		if err != nil {
			t.Fatal(err)
		}
		damage(s, &m, state.PackListKey("ann", digest, 0), state.PackKey("ann", digest, h.Pack))
		if texts, err := documents(t, s, m); fault.Of(err) != fault.Permanent || fault.HintOf(err) == "" {
			t.Errorf("%s: %q, %v", name, texts, err)
		}
	}
}

func TestAFrameThatExpandsBeyondItsSizeIsRefused(t *testing.T) {
	frame := state.PackFrame(nil, []byte(strings.Repeat("x", 1000)))
	if _, err := state.UnpackFrame(nil, frame, 999); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("%v", err)
	}
	if doc, err := state.UnpackFrame(make([]byte, 3), frame, 1000); err != nil || len(doc) != 1000 {
		t.Errorf("%d bytes, %v", len(doc), err)
	}
}

// Lists of earlier versions have the names of all sources of their archive as an array.
func TestSourceFilesOfEarlierVersionsAreRead(t *testing.T) {
	want := state.SourceFiles{0: "a.json", 1: "b.json"}
	for _, text := range []string{`["a.json","b.json"]`, `{"0":"a.json","1":"b.json"}`} {
		var got state.SourceFiles
		if err := json.Unmarshal([]byte(text), &got); err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{`["a.json",1]`, `{"a":"b"}`, `3`} {
		if err := json.Unmarshal([]byte(text), new(state.SourceFiles)); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}
