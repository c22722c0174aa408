package publish_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/statetest"
)

// requests counts the calls of a store by what they are for.
type requests struct {
	mu    sync.Mutex
	kinds map[string]int
}

func (q *requests) count(c statetest.Call) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := strings.TrimPrefix(c.Key, "owners/me/")
	kind, rest, _ := strings.Cut(key, "/")
	if kind == "imports" {
		_, rest, _ = strings.Cut(rest, "/")
		folder, _, _ := strings.Cut(rest, "/")
		kind += "/" + folder
	}
	q.kinds[c.Op+" "+kind]++
	return nil
}

func (q *requests) of(op string) (n int) {
	for kind, k := range q.kinds {
		if strings.HasPrefix(kind, op+" ") {
			n += k
		}
	}
	return n
}

// BenchmarkOneMoreDrop takes small drops through all stages, one after the other, into a store that
// has many. With -v it lists what the requests were for.
func BenchmarkOneMoreDrop(b *testing.B) {
	const more = 32
	for _, n := range []int{0, 10, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := stagetest.New(b)
			made := 0
			next := func(r *stagetest.Rig) {
				drop := r.PutDrop(b, []byte(stagetest.TalksOf("d", 5*made, 5)))
				made++
				if _, _, err := r.Import(b.Context(), drop); err != nil {
					b.Fatal(err)
				}
			}
			for range n {
				next(r)
			}
			q := &requests{kinds: map[string]int{}}
			counted := r.On(r.Data.View(q.count, nil))
			drops := 0
			for b.Loop() {
				for range more {
					next(counted)
					drops++
				}
			}
			if testing.Verbose() {
				for _, kind := range slices.Sorted(maps.Keys(q.kinds)) {
					b.Logf("%6.2f %s", float64(q.kinds[kind])/float64(drops), kind)
				}
			}
			for _, op := range []string{"get", "head", "list", "put", "delete"} {
				b.ReportMetric(float64(q.of(op))/float64(drops), op+"/drop")
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(drops), "ms/drop")
		})
	}
}
