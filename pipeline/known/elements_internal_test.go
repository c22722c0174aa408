package known

import (
	"fmt"
	"testing"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

const importer = "notes-importer/2026.01"

func elementDigest(n int) string { return objects.Digest(fmt.Sprint("element ", n)) }

// putImport stores an import whose packs have so many documents each, which all are known.
func putImport(t *testing.T, e *Elements, packs, documents int) (id string) {
	t.Helper()
	id = objects.Digest("import")[:state.ImportIDLength]
	m := state.Manifest{V: 1, Import: id, Owner: e.Owner, Sources: []state.Source{{Importer: importer}}}
	put := func(key string, body []byte, err error) {
		t.Helper()
		if err == nil {
			_, err = objects.PutOnce(t.Context(), e.Store, key, body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for n := range packs {
		var lines []state.SnapshotLine
		var elements []Element
		var frames []byte
		for k := range documents {
			at := len(frames)
			doc := fmt.Appendf(nil, "document %d", n*documents+k)
			frames = state.PackFrame(frames, doc)
			lines = append(lines, state.SnapshotLine{Conversation: "c", Digest: objects.Digest(string(doc)), Offset: int64(at), Length: int64(len(frames) - at), Size: int64(len(doc))})
			elements = append(elements, Element{Digest: elementDigest(n*documents + k), Number: k})
		}
		shard, key := state.ShardID(n, lines, nil), Key(m.Owner, id, n)
		known, err := Encode(key, Header{V: 1, Reading: e.Reading, Shard: shard}, elements)
		put(key, known, err)
		put(state.PackKey(m.Owner, id, objects.Digest(string(frames))), frames, nil)
		key = state.PackListKey(m.Owner, id, n)
		list, err := state.EncodePackList(key, state.PackHeader{V: 1, Pack: objects.Digest(string(frames)), Shard: shard, Count: len(lines)}, lines)
		put(key, list, err)
		m.Shards = append(m.Shards, state.Shard{ID: shard, Pack: n, List: objects.Digest(string(list)), Snapshots: documents, Bytes: 1})
	}
	body, err := state.EncodeManifest(m)
	put(state.ManifestKey(m.Owner, id), body, err)
	return id
}

func elementsOf(t *testing.T, most, packs, documents int) (*Elements, int) {
	t.Helper()
	k := &Elements{Reader: Reader{Store: statetest.New(), Owner: "me", Reading: "r", Log: zap.NewNop()}, most: most, places: map[uint64]place{}}
	added, err := k.addImport(t.Context(), putImport(t, k, packs, documents), "")
	if err != nil {
		t.Fatal(err)
	}
	return k, added
}

func TestTheNumberOfKnownElementsIsBounded(t *testing.T) {
	for most, want := range map[int]int{0: 0, 7: 7, 15: 15, 100: 15} {
		k, added := elementsOf(t, most, 3, 5)
		if added != want || len(k.places) != want {
			t.Errorf("up to %d: %d elements of 15 were added", most, added)
		}
		found := 0
		for n := range 15 {
			if d, ok := k.Find(t.Context(), elementDigest(n), importer); ok {
				doc, err := state.UnpackFrame(nil, d.Frame, 100)
				if err != nil || string(doc) != fmt.Sprint("document ", n) {
					t.Errorf("element %d is %q, %v", n, doc, err)
				}
				found++
			}
		}
		if found != want {
			t.Errorf("up to %d: %d elements were found", most, found)
		}
	}
}

func TestPacksAreNotLoadedAgainAndAgain(t *testing.T) {
	k, _ := elementsOf(t, maxElements, 4, 50)
	found := 0
	for n := range 200 {
		if _, ok := k.Find(t.Context(), elementDigest(n%4*50+n/4), importer); ok { // each in another pack than the last
			found++
		}
	}
	if most := 2*4 + maxLoaded; k.loads != most || found < most || len(k.loaded) > maxLoaded {
		t.Errorf("%d packs were loaded for %d elements, and %d are held", k.loads, found, len(k.loaded))
	}
}

func TestAnElementOfAnotherDigestOrImporterIsUnknown(t *testing.T) {
	k, _ := elementsOf(t, maxElements, 1, 2)
	digest := elementDigest(1)
	for name, c := range map[string][2]string{
		"the same beginning": {digest[:16] + elementDigest(0)[16:], importer},
		"another importer":   {digest, "notes-importer/2026.02"},
		"no digest":          {"", importer},
	} {
		if _, ok := k.Find(t.Context(), c[0], c[1]); ok {
			t.Errorf("%s: it is known", name)
		}
	}
	if _, ok := k.Find(t.Context(), digest, importer); !ok {
		t.Error("the element itself is unknown")
	}
}
