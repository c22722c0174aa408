package pipeline_test

import (
	"strings"
	"testing"
	"time"

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

// tidyingPipeline is a pipeline that removes what is replaced.
func tidyingPipeline(t *testing.T, r *stagetest.Rig) *pipeline.Pipeline {
	t.Helper()
	o := optionsOf(t, r.Damaged(r.Data)) // what is replaced goes
	o.Prune = pipeline.Prune{Every: time.Hour, Grace: time.Hour, Rules: prune.Rules{Exports: 1}}
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
