package work

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
)

// Whichever shards of a drop ingest cannot extract, the store is the same, and each shard is
// extracted once.
func TestShardsThatIngestLeavesAreExtractedLater(t *testing.T) {
	t.Parallel()
	const shards = 6
	archive := talks("a", shards, likes)
	play := func(t *testing.T, late func(shard int) bool) (map[string]string, *stageCalls) {
		r := crashRig(t, script{early: true})
		r.limits.ShardItems = 1
		ids, calls := r.wrap, &stageCalls{}
		r.wrap = func(p *process, s *stages) {
			ids(p, s)
			real := s.ingest
			s.ingest = func(ctx context.Context, o ingest.Options, q ingest.Request, pub ingest.Publish) (state.Manifest, error) {
				finder := o.Finder
				o.Finder = func(e []extract.Extractor, embeddings string) state.Find {
					find := finder(e, embeddings)
					return func(c *pamio.Conversation, doc []byte, source int, file string) (state.Findings, error) {
						for n := range shards {
							if strings.Contains(string(doc), fmt.Sprintf("walk number %d.", n)) && late(n) {
								return state.Findings{}, errors.New("not now")
							}
						}
						return find(c, doc, source, file)
					}
				}
				return real(ctx, o, q, pub)
			}
			calls.wrap(p, s)
		}
		ref := r.drop("ann", archive)
		p := r.start()
		p.run()
		if rec := p.importDrop(ref); rec.Outcome != job.Done {
			t.Fatalf("record %+v", rec)
		}
		p.drained()
		p.stop()
		return r.bodies("owners/"), calls
	}
	want, _ := play(t, func(int) bool { return true })
	for name, late := range map[string][]int{"none": {}, "the first": {0}, "the last": {shards - 1}, "both ends": {0, shards - 1}, "the middle": {2, 3}, "all": {0, 1, 2, 3, 4, 5}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			isLate := map[int]bool{}
			for _, n := range late {
				isLate[n] = true
			}
			got, calls := play(t, func(n int) bool { return isLate[n] })
			if n := calls.extract.Load(); n != int64(len(late)) {
				t.Errorf("%d shards were extracted, want %d", n, len(late))
			}
			for key, body := range want {
				if got[key] != body {
					t.Errorf("%s is\n%.300s\nwant\n%.300s", key, got[key], body)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d objects, want %d", len(got), len(want))
			}
		})
	}
}
