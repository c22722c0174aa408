package pipeline_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/prune"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
)

// exportsOf counts the exports that are there.
func exportsOf(r *stagetest.Rig) (n int) {
	for _, key := range r.Data.Keys(state.OwnerKey(stagetest.Owner, "exports/")) {
		if strings.HasSuffix(key, ".fold.zst") {
			n++
		}
	}
	return n
}

// tidyingPipeline is a pipeline that removes what is replaced. change changes its options.
func tidyingPipeline(t *testing.T, r *stagetest.Rig, change ...func(*pipeline.Options)) *pipeline.Pipeline {
	t.Helper()
	o := optionsOf(t, r.Damaged(r.Data)) // what is replaced goes
	o.Prune = pipeline.Prune{Every: time.Hour, Grace: time.Hour, Rules: prune.Rules{Exports: 1}}
	for _, do := range change {
		do(&o)
	}
	p := local(t, o)
	work(t, p)
	return p
}

func importGrowing(t *testing.T, r *stagetest.Rig, p *pipeline.Pipeline, drops int) {
	t.Helper()
	for n := range drops {
		ended(t, p, refOf(r.PutDrop(t, stagetest.TalksZip(t, n+2))), job.Want{})
	}
}

func TestManyDropsOfAnOwnerLeaveFewExportsWithoutAPass(t *testing.T) {
	t.Parallel()
	r := stagetest.New(t)
	p := tidyingPipeline(t, r)
	for n := range 3 { // each time the second export to be replaced sets off the removal
		importGrowing(t, r, p, 4*n+5)
		for exportsOf(r) > 4 {
			time.Sleep(time.Millisecond)
		}
	}
	r.Verify(t)
}

func TestAProcessThatEndsLeavesOneExport(t *testing.T) {
	t.Parallel()
	r := stagetest.New(t)
	p := tidyingPipeline(t, r)
	importGrowing(t, r, p, 3)
	p.Tidy(t.Context())
	if n := exportsOf(r); n != 1 {
		t.Errorf("%d exports are left", n)
	}
	r.Verify(t)
}

// hintsStay keeps the end of an import from going on: what follows the record waits until open is
// closed.
type hintsStay struct {
	blob.Store
	open chan struct{}
}

func (s hintsStay) Delete(ctx context.Context, key string) error {
	if strings.HasPrefix(key, state.OpenRoot) {
		<-s.open
	}
	return s.Store.Delete(ctx, key)
}

// Whoever waits sees the record end, and may be gone before this process tells of it.
func TestAProcessThatEndsAtOnceLeavesOneExport(t *testing.T) {
	t.Parallel()
	r := stagetest.New(t)
	open := make(chan struct{})
	importGrowing(t, r, tidyingPipeline(t, r), 1)
	p := tidyingPipeline(t, r, func(o *pipeline.Options) { o.Store = hintsStay{o.Store, open} })
	t.Cleanup(func() { close(open) })
	ended(t, p, refOf(r.PutDrop(t, stagetest.TalksZip(t, 9))), job.Want{})
	p.Tidy(t.Context())
	if n := exportsOf(r); n != 1 {
		t.Errorf("%d exports are left", n)
	}
}
