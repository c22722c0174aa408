package assemble

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/validate"
)

// What is assembled is a store that the strict validator has nothing to say against, with every
// index entry equal to its file and derived_memories closed in both directions.
func TestTheResultIsAValidBundle(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 37))
	for range 8 {
		s := newStorage()
		s.add(randomArchives(rng, 4)...)
		for i := range s.candidates {
			for j := range s.candidates[i].Evidence { // messages that the random conversations always have
				e := &s.candidates[i].Evidence[j]
				if e.Conversation != "" {
					e.Message = ""
				}
			}
		}
		s.candidates = append(s.candidates, normalize.Candidate{
			Type: "custom", CustomType: "pet", Content: "Ünïcode \"quoted\"\n", Confidence: 1, Platform: "chatgpt",
			Evidence: []normalize.Evidence{{Member: "m.json", Pointer: "/a~1b"}},
		})
		validBundle(t, s)
	}
	for round := range 40 {
		validBundle(t, randomStore(rand.New(rand.NewPCG(47, uint64(round)))))
	}
}

// validBundle assembles a store and validates it with its files.
func validBundle(t *testing.T, s *storage) {
	t.Helper()
	r, err := Assemble(context.Background(), s, s, Options{Scratch: t.TempDir(), Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	var doc bytes.Buffer
	header := pamio.Header{
		ExportID: "3b241101-e2bb-4255-8caf-4136c566a962", ExportedBy: "pamline/0.1.0", ExportDate: day4, ExportType: "full",
		Owner: pamio.Owner{ID: "0b241101-e2bb-4255-8caf-4136c566a962"},
	}
	err = pamio.WriteStore(&doc, header, r.Memories.Reader(), r.Relations.Reader(), r.Index.Reader(), r.Integrity(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var vectors bytes.Buffer
	if err := pamio.WriteEmbeddings(&vectors, r.Embeddings.Reader()); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	bundle := fstest.MapFS{pamio.StoreFile: {Data: doc.Bytes()}}
	if r.Digests().Embeddings != "" {
		bundle["embeddings.json"] = &fstest.MapFile{Data: vectors.Bytes()}
	}
	for name, body := range s.files {
		bundle[name] = &fstest.MapFile{Data: body}
	}
	report, err := validate.Run(context.Background(), validate.Target{Name: "bundle", FS: bundle}, validate.Options{
		Strict:    true,
		OnFinding: func(f validate.Finding) { t.Error(f) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if report.Seen.Memories != r.Memories.Count || report.Seen.Conversations != r.Index.Count || r.Index.Count == 0 ||
		report.Seen.Relations != r.Relations.Count || report.Seen.Embeddings != r.Embeddings.Count {
		t.Errorf("seen %+v of %d memories and %d conversations", report.Seen, r.Memories.Count, r.Index.Count)
	}
}
