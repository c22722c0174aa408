package replay

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/jobtest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/pipeline/status"
)

func selected(t *testing.T, s blob.Store, sel Selection) (list []Selected) {
	t.Helper()
	for one, err := range Select(t.Context(), s, sel) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, one)
	}
	return list
}

// filesOf gives the first file of each selected drop.
func filesOf(list []Selected) (files []string) {
	for _, s := range list {
		files = append(files, s.Owner+"/"+strings.Join(s.Files, "+"))
	}
	slices.Sort(files)
	return files
}

var (
	byChatGPT = jobtest.Plan{Shards: 1, Importers: []string{"chatgpt-importer/2026.07"}}
	byClaude  = jobtest.Plan{Shards: 2, Importers: []string{"claude-importer/2026.07"}, Failed: []int{0}}
	byNobody  = jobtest.Plan{Refuse: fault.Permanentf("import the archive as it was sent", "recognize archive: it is a photo")}
)

func TestTheConditionsOfASelectionCombine(t *testing.T) {
	w := jobtest.New(t)
	hour := func(n int) time.Time { return time.Date(2026, 1, 2, 3+n, 4, 5, 0, time.UTC) }
	a, b, c, d := w.Drop("ann", "a"), w.Drop("ann", "b"), w.Drop("ann", "c"), w.Drop("bob", "d")
	for _, one := range []struct {
		ref  job.Ref
		plan jobtest.Plan
	}{{a, byChatGPT}, {b, byClaude}, {c, byNobody}, {d, byChatGPT}} {
		w.Import(one.ref, one.plan, job.Want{})
		w.Store.Advance(time.Hour)
	}
	erased := w.Drop("bob", "erased")
	w.Import(erased, byChatGPT, job.Want{})
	w.Import(erased, byChatGPT, job.Want{Erase: true})
	if _, err := w.Jobs.Ask(t.Context(), w.Drop("bob", "first time"), job.Want{}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		sel  Selection
		want string
	}{
		{Selection{}, "ann/a ann/b ann/c bob/d"},
		{Selection{Owner: "ann"}, "ann/a ann/b ann/c"},
		{Selection{Owner: "eve"}, ""},
		{Selection{Provider: "chatgpt"}, "ann/a bob/d"},
		{Selection{Provider: "chatgpt", Owner: "bob"}, "bob/d"},
		{Selection{Provider: "chat"}, ""},
		{Selection{Importer: "claude-importer/2026.07"}, "ann/b"},
		{Selection{Importer: "claude-importer/2026"}, ""},
		{Selection{Since: hour(1)}, "ann/b ann/c bob/d"},
		{Selection{Until: hour(1)}, "ann/a"},
		{Selection{Since: hour(1), Until: hour(3), Owner: "ann"}, "ann/b ann/c"},
		{Selection{Import: jobtest.ImportID(a, byChatGPT.Importers...)[:8]}, "ann/a"},
		{Selection{Import: c.Drop[:10], Owner: "ann"}, "ann/c"},
		{Selection{Import: a.Drop, Owner: "bob"}, ""},
		{Selection{Import: a.Drop, Provider: "claude"}, ""},
	} {
		if got := strings.Join(filesOf(selected(t, w.Store, tt.sel)), " "); got != tt.want {
			t.Errorf("%+v: %s", tt.sel, got)
		}
	}
	list := selected(t, w.Store, Selection{Owner: "ann"})
	states := map[string]string{}
	for _, s := range list {
		states[s.Drop] = s.State
	}
	if states[a.Drop] != state.StateDone || states[b.Drop] != state.StateLosses || states[c.Drop] != state.StateRefused {
		t.Errorf("%v", states)
	}
	for _, sel := range []Selection{{Owner: "Ann!"}, {Import: "abc"}} {
		for _, err := range Select(t.Context(), w.Store, sel) {
			if err == nil || sel.Import != "" && !errors.Is(err, status.ErrQuery) {
				t.Errorf("%+v: %v", sel, err)
			}
		}
	}
}

func TestAReplacedImportStandsForItsDrop(t *testing.T) {
	w := jobtest.New(t)
	ref := w.Drop("ann", "a")
	w.Import(ref, byChatGPT, job.Want{})
	newer := jobtest.Plan{Shards: 1, Importers: []string{"chatgpt-importer/2026.08"}}
	w.Import(ref, newer, job.Want{})
	before, now := jobtest.ImportID(ref, byChatGPT.Importers...), jobtest.ImportID(ref, newer.Importers...)
	if list := selected(t, w.Store, Selection{Import: before[:8]}); len(list) != 1 || list[0].Named != before || list[0].Import != now {
		t.Errorf("%+v", list)
	}
	if list := selected(t, w.Store, Selection{Import: now}); len(list) != 1 || list[0].Named != "" {
		t.Errorf("%+v", list)
	}
	if list := selected(t, w.Store, Selection{Importer: byChatGPT.Importers[0]}); len(list) != 0 {
		t.Errorf("%+v", list)
	}
}

func TestADropThatIsBeingReadAgainIsSelected(t *testing.T) {
	w := jobtest.New(t)
	ref := w.Drop("ann", "a")
	w.Import(ref, byChatGPT, job.Want{})
	w.Store.Advance(time.Hour)
	if _, err := w.Jobs.Ask(t.Context(), ref, job.Want{Importer: "newer"}); err != nil {
		t.Fatal(err)
	}
	list := selected(t, w.Store, Selection{Since: w.Store.Now()})
	if len(list) != 1 || list[0].Import == "" || !list[0].Ended.Equal(w.Store.Now()) {
		t.Errorf("%+v", list)
	}
}

func TestASelectionOfAnOwnerListsThatOwnersKeysOnlyAndWritesNothing(t *testing.T) {
	w := jobtest.New(t)
	w.Import(w.Drop("ann", "a"), byChatGPT, job.Want{})
	w.Import(w.Drop("bob", "b"), byChatGPT, job.Want{})
	s := w.Store.View(func(c statetest.Call) error {
		if c.IsWrite() || !strings.Contains(c.Key, "/ann/") {
			t.Errorf("%v", c)
		}
		return nil
	}, nil)
	if list := selected(t, s, Selection{Owner: "ann"}); len(list) != 1 {
		t.Errorf("%+v", list)
	}
}

func TestAnOutageEndsASelection(t *testing.T) {
	w := jobtest.New(t)
	w.Import(w.Drop("ann", "a"), byChatGPT, job.Want{})
	w.Import(w.Drop("ann", "b"), byNobody, job.Want{})
	out := errors.New("connection refused")
	for n := 0; ; n += statetest.Stride(5) {
		hook, reached := statetest.FailCall(n, out)
		var last error
		for _, err := range Select(t.Context(), w.Store.View(hook, nil), Selection{}) {
			last = err
		}
		if !reached() {
			return
		}
		if !errors.Is(last, out) {
			t.Errorf("call %d: %v", n, last)
		}
	}
}
