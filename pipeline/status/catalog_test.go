package status_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/jobtest"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/pipeline/status"
)

var (
	small  = jobtest.Plan{Shards: 1, Importers: []string{"chatgpt-importer/2026.07"}, Counts: state.Counts{Conversations: 5, Messages: 20}}
	newer  = jobtest.Plan{Shards: 1, Importers: []string{"chatgpt-importer/2026.08"}, Counts: state.Counts{Conversations: 6}}
	losses = jobtest.Plan{Shards: 3, Failed: []int{1}, Importers: []string{"claude-importer/2026.07", "memory-importer/2026.07"}}
	upload = jobtest.Plan{Refuse: fault.Permanentf("import the archive as the provider sent it", "recognize archive: it is a photo")}
	broken = jobtest.Plan{Shards: 1, Importers: small.Importers, Broken: fault.Permanentf("report it", "the store cannot be computed")}
)

// list gives the rows of a query as "files: state", and the rows.
func list(t *testing.T, c *status.Catalog, q status.Query) ([]string, status.Page) {
	t.Helper()
	page, err := c.List(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, r := range page.Imports {
		lines = append(lines, strings.Join(r.Files, "+")+": "+r.State)
	}
	return lines, page
}

// sixImports gives imports in all final states and two that are open, the newest last.
func sixImports(t *testing.T) (*jobtest.World, *status.Catalog) {
	w := jobtest.New(t)
	for _, one := range []struct {
		file string
		plan jobtest.Plan
	}{{"done.zip", small}, {"lost.zip", losses}, {"photo.jpg", upload}, {"broken.zip", broken}} {
		w.Store.Advance(time.Minute)
		w.Import(w.Drop("ann", one.file), one.plan, job.Want{})
	}
	gone := w.Drop("ann", "gone.zip")
	w.Import(gone, small, job.Want{})
	w.Store.Advance(time.Minute)
	w.Import(gone, small, job.Want{Erase: true})
	w.Store.Advance(time.Minute)
	if _, err := w.Jobs.Ask(t.Context(), w.Drop("ann", "waits.zip"), job.Want{}); err != nil {
		t.Fatal(err)
	}
	return w, status.NewCatalog(w.Store)
}

func TestEachDropIsOneRowWithItsStateReasonAndFiles(t *testing.T) {
	_, c := sixImports(t)
	lines, page := list(t, c, status.Query{Owner: "ann"})
	want := []string{"waits.zip: waiting", ": erased", "broken.zip: failed", "photo.jpg: refused", "lost.zip: done with losses", "done.zip: done"}
	if !slices.Equal(lines, want) {
		t.Fatalf("%q", lines)
	}
	done, lost, photo, failed := page.Imports[5], page.Imports[4], page.Imports[3], page.Imports[2]
	if done.Conversations != 5 || done.Messages != 20 || done.Memories == 0 || done.Receipt == "" || !slices.Equal(done.Providers, []string{"chatgpt"}) || done.UpdatedAt != "2026-01-02T03:05:05.000Z" {
		t.Errorf("done: %+v", done)
	}
	if lost.Shards != 3 || lost.Extracted != 2 || lost.Failed != 1 || !slices.Equal(lost.Providers, []string{"claude", "memory"}) {
		t.Errorf("with losses: %+v", lost)
	}
	if photo.Reason != "recognize archive: it is a photo" || photo.Hint == "" || photo.Import != "" || photo.ID() != photo.Drop || photo.Receipt != "" {
		t.Errorf("refused: %+v", photo)
	}
	if failed.Reason != "the store cannot be computed" || failed.Hint != "report it" || failed.Import == "" || failed.Receipt != "" || failed.Kept != "" {
		t.Errorf("failed: %+v", failed)
	}
	if !page.Imports[0].IsOpen() || done.IsOpen() {
		t.Error("open")
	}
}

func TestRowsAreSelectedByStateOwnerAndID(t *testing.T) {
	w, c := sixImports(t)
	w.Import(w.Drop("bob", "other.zip"), small, job.Want{})
	for state, want := range map[string]string{
		"open": "waits.zip: waiting", "waiting": "waits.zip: waiting", "refused": "photo.jpg: refused", "failed": "broken.zip: failed",
		"done with losses": "lost.zip: done with losses", "erased": ": erased", "reading": "", "unreadable": "",
	} {
		lines, page := list(t, c, status.Query{Owner: "ann", State: state})
		if strings.Join(lines, " ") != want || page.Next != "" {
			t.Errorf("%s: %q, next %q", state, lines, page.Next)
		}
	}
	if lines, _ := list(t, c, status.Query{}); len(lines) != 7 {
		t.Errorf("of all owners: %q", lines)
	}
	if lines, _ := list(t, c, status.Query{Owner: "nobody"}); len(lines) != 0 {
		t.Errorf("of nobody: %q", lines)
	}
	for _, q := range []status.Query{{Owner: "Ann!"}, {State: "lost"}, {ID: "abc"}, {ID: "xyzxyz"}, {Limit: -1}, {After: "?"}} {
		if _, err := c.List(t.Context(), q); !errors.Is(err, status.ErrQuery) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

func TestPagesFollowEachOther(t *testing.T) {
	w, c := sixImports(t)
	all, _ := list(t, c, status.Query{Owner: "ann"})
	for _, q := range []status.Query{{Owner: "ann", Limit: 1}, {Owner: "ann", Limit: 4}, {Limit: 2}} {
		var got []string
		for {
			lines, page := list(t, c, q)
			if got = append(got, lines...); page.Next == "" {
				break
			}
			if len(lines) != q.Limit {
				t.Fatalf("a page of %d", len(lines))
			}
			q.After = page.Next
		}
		if !slices.Equal(got, all) {
			t.Errorf("limit %d: %q", q.Limit, got)
		}
	}
	// Pages in one state, with many rows in other states between them.
	for n := range 150 {
		w.Store.Advance(time.Second)
		p := small
		if n%50 == 0 {
			p = losses
		}
		w.Import(w.Drop("bob", fmt.Sprint(n)), p, job.Want{})
	}
	first, page := list(t, c, status.Query{Owner: "bob", State: state.StateLosses, Limit: 2})
	second, last := list(t, c, status.Query{Owner: "bob", State: state.StateLosses, Limit: 2, After: page.Next})
	if strings.Join(append(first, second...), " ") != "100: done with losses 50: done with losses 0: done with losses" || last.Next != "" {
		t.Errorf("%q, %q", first, second)
	}
}

func TestAnImportThatIsReadAgainIsOneRowAndItsGenerationsCanBeSeen(t *testing.T) {
	w := jobtest.New(t)
	ref := w.Drop("ann", "a.zip")
	w.Import(ref, small, job.Want{})
	w.Store.Advance(time.Hour)
	w.Import(ref, newer, job.Want{})
	w.Store.Advance(time.Hour)
	w.Import(ref, upload, job.Want{Importer: "none"})
	c := status.NewCatalog(w.Store)
	lines, page := list(t, c, status.Query{Owner: "ann"})
	kept := jobtest.ImportID(ref, newer.Importers...)
	if len(lines) != 1 || page.Imports[0].State != state.StateRefused || page.Imports[0].Gen != 3 || page.Imports[0].Kept != kept {
		t.Fatalf("%q %+v", lines, page.Imports)
	}
	_, older := list(t, c, status.Query{ID: ref.Drop, Older: true})
	rows := older.Imports
	if len(rows) != 3 || rows[1].Gen != 2 || rows[1].ReplacedBy != "" || rows[2].Gen != 1 || rows[2].ReplacedBy != kept || rows[2].Conversations != 5 {
		t.Fatalf("%+v", rows)
	}
	if rows[2].UpdatedAt >= rows[1].UpdatedAt || rows[2].Files[0] != "a.zip" {
		t.Errorf("%+v", rows[2])
	}
	other := w.Drop("ann", "b.zip")
	w.Import(other, small, job.Want{})
	if _, page := list(t, c, status.Query{Owner: "ann", Older: true, Limit: 1}); len(page.Imports) != 1 || page.Next == "" {
		t.Errorf("%+v", page)
	} else if _, page = list(t, c, status.Query{Owner: "ann", Older: true, Limit: 1, After: page.Next}); len(page.Imports) != 3 || page.Next != "" {
		t.Errorf("%+v", page)
	}
}

func TestAnImportIsFoundByAPrefixOfItsIDOrOfItsDrop(t *testing.T) {
	w := jobtest.New(t)
	ref, other := w.Drop("ann", "a.zip"), w.Drop("bob", "b.zip")
	w.Import(ref, small, job.Want{})
	w.Import(ref, newer, job.Want{})
	w.Import(other, upload, job.Want{})
	c := status.NewCatalog(w.Store)
	first, second := jobtest.ImportID(ref, small.Importers...), jobtest.ImportID(ref, newer.Importers...)
	for id, gen := range map[string]int{first: 1, first[:6]: 1, second[:8]: 2, ref.Drop[:6]: 2, ref.Drop: 2} {
		if r, err := c.Find(t.Context(), "", id); err != nil || r.Gen != gen || r.Drop != ref.Drop {
			t.Errorf("%s: %+v, %v", id, r, err)
		}
	}
	if r, err := c.Find(t.Context(), "bob", other.Drop[:10]); err != nil || r.State != state.StateRefused {
		t.Errorf("refused: %+v, %v", r, err)
	}
	for id, want := range map[string]error{"": status.ErrQuery, first[:5]: status.ErrQuery, "nothex": status.ErrQuery, strings.Repeat("0", 8): status.ErrNoImport} {
		if _, err := c.Find(t.Context(), "", id); !errors.Is(err, want) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := c.Find(t.Context(), "bob", first); !errors.Is(err, status.ErrNoImport) {
		t.Errorf("of another owner: %v", err)
	}
	// The same archive dropped by two owners is two imports.
	again := w.Drop("bob", "a.zip")
	w.Import(again, small, job.Want{})
	if _, err := c.Find(t.Context(), "", ref.Drop); !errors.Is(err, status.ErrQuery) || !strings.Contains(err.Error(), "use more digits") {
		t.Errorf("ambiguous: %v", err)
	}
	if r, err := c.Find(t.Context(), "bob", ref.Drop); err != nil || r.Owner != "bob" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAnOpenImportShowsHowFarItHasCome(t *testing.T) {
	w := jobtest.New(t)
	c := status.NewCatalog(w.Store)
	ref := w.Drop("ann", "a.zip")
	w.Plans[ref] = losses
	if _, err := w.Jobs.Ask(t.Context(), ref, job.Want{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		row, err := c.Find(t.Context(), "ann", ref.Drop)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %d+%d/%d", row.State, row.Extracted, row.Failed, row.Shards))
		tasks, err := w.Jobs.Next(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		if len(tasks) == 0 {
			break
		}
		w.Do(tasks[0])
	}
	want := []string{"waiting 0+0/0", "extracting 0+0/3", "extracting 1+0/3", "extracting 1+1/3", "assembling 2+1/3", "done with losses 2+1/3"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestDamagedObjectsSpoilTheirOwnRowOnly(t *testing.T) {
	for what, key := range map[string]func(job.Ref) string{
		"job":      func(r job.Ref) string { return state.JobKey(r.Owner, r.Drop) },
		"receipt":  func(r job.Ref) string { return state.ReceiptKey(r.Owner, r.Drop, 1) },
		"manifest": func(r job.Ref) string { return state.ManifestKey(r.Owner, jobtest.ImportID(r, small.Importers...)) },
		"drop":     func(r job.Ref) string { return state.DropKey(r.Owner, r.Drop, "drop.json") },
	} {
		w := jobtest.New(t)
		ref, other := w.Drop("ann", "a.zip"), w.Drop("ann", "b.zip")
		w.Import(other, small, job.Want{})
		w.Import(ref, small, job.Want{})
		if what == "manifest" { // of an open import
			w.Jobs = job.New(w.Store, job.Options{Window: 1, NewID: func() string { return "m" }})
			w.Plans[ref] = small
			if _, err := w.Jobs.Redrive(t.Context(), ref); err != nil {
				t.Fatal(err)
			}
		}
		w.Put(key(ref), "{")
		c := status.NewCatalog(w.Store)
		row, err := c.Find(t.Context(), "ann", ref.Drop)
		if want := what != "drop"; err != nil || (row.State == status.StateUnreadable) != want || row.Unusable == "" {
			t.Errorf("%s: %+v, %v", what, row, err)
		}
		if lines, _ := list(t, c, status.Query{Owner: "ann"}); len(lines) != 2 || !slices.Contains(lines, "b.zip: done") {
			t.Errorf("%s: %q", what, lines)
		}
	}
	// Without the head, what became of earlier imports is not known; the rest is.
	w := jobtest.New(t)
	ref := w.Drop("ann", "a.zip")
	w.Import(ref, small, job.Want{})
	w.Import(ref, upload, job.Want{})
	w.Put(state.HeadKey("ann"), "{")
	if lines, _ := list(t, status.NewCatalog(w.Store), status.Query{}); !slices.Equal(lines, []string{"a.zip: refused"}) {
		t.Errorf("head: %q", lines)
	}
}

func TestAListWritesNothingAndListsTheKeysOfItsOwnerOnly(t *testing.T) {
	w, _ := sixImports(t)
	w.Import(w.Drop("bob", "other.zip"), small, job.Want{})
	var gets atomic.Int64
	c := status.NewCatalog(w.Store.View(func(call statetest.Call) error {
		if call.IsWrite() {
			t.Errorf("%v", call)
		}
		if call.Op == "list" && !strings.Contains(call.Key, "ann") {
			t.Errorf("%v", call)
		}
		if call.Op == "get" {
			gets.Add(1)
		}
		return nil
	}, nil))
	list(t, c, status.Query{Owner: "ann", Limit: 1})
	if n := gets.Load(); n > 8 {
		t.Errorf("%d objects were read for one row", n)
	}
	for _, q := range []status.Query{{}, {State: "open"}, {State: "refused"}, {State: "done"}, {ID: "abcdef"}} {
		q.Owner = "ann"
		list(t, c, q)
	}
}

func TestAnOutageEndsAListWithItsError(t *testing.T) {
	w, _ := sixImports(t)
	out := errors.New("connection refused")
	for n := 0; ; n += statetest.Stride(5) {
		hook, reached := statetest.FailCall(n, out)
		_, err := status.NewCatalog(w.Store.View(hook, nil)).List(t.Context(), status.Query{Owner: "ann"})
		if !reached() {
			return
		}
		if !errors.Is(err, out) {
			t.Fatalf("call %d: %v", n, err)
		}
	}
}

func TestAStoreThatDoesNotAnswerIsAnOutage(t *testing.T) {
	w := jobtest.New(t)
	if err := status.CheckStore(t.Context(), w.Store); err != nil {
		t.Error(err)
	}
	for text, out := range map[string]error{
		"connection refused":        &blob.Error{Op: "list", Err: errors.New("connection refused")},
		"storage gave no answer in": fmt.Errorf("wait to try again: %w", context.DeadlineExceeded),
	} {
		err := status.CheckStore(t.Context(), w.Store.View(func(statetest.Call) error { return out }, nil))
		if fault.Of(err) != fault.Outage || !errors.Is(err, out) || !strings.Contains(err.Error(), text) || fault.HintOf(err) == "" {
			t.Errorf("%v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := status.CheckStore(ctx, w.Store); !errors.Is(err, context.Canceled) || fault.Of(err) == fault.Outage {
		t.Errorf("canceled: %v", err)
	}
}

func TestAnOwnerWithManyDropsIsListedAsAWhole(t *testing.T) {
	w := jobtest.New(t)
	const n = 2500
	want := map[string]bool{}
	for i := range n {
		drop := objects.Digest(fmt.Sprint(i))
		want[drop] = true
		w.Put(state.JobKey("ann", drop), `{"v":1,"gen":1,"want":{"erase":true},"state":"ended","outcome":"erased"}`)
	}
	w.Put(state.JobKey("ann", state.OwnerJob), "{}")
	page, err := status.NewCatalog(w.Store).List(t.Context(), status.Query{Owner: "ann"})
	if err != nil || len(page.Imports) != n {
		t.Fatalf("%d rows, %v", len(page.Imports), err)
	}
	for _, r := range page.Imports {
		if !want[r.Drop] {
			t.Fatalf("%s is listed twice, or is none", r.Drop)
		}
		delete(want, r.Drop)
	}
	out := errors.New("connection refused")
	s := w.Store.View(func(c statetest.Call) error {
		if c.Op == "list" && c.Key == "owners/ann/jobs/f" {
			return out
		}
		return nil
	}, nil)
	if _, err := status.NewCatalog(s).List(t.Context(), status.Query{Owner: "ann", Limit: 1}); !errors.Is(err, out) {
		t.Errorf("an outage of a part of the list: %v", err)
	}
}
