package status_test

import (
	"context"
	"errors"
	"testing"

	"github.com/pamline/pamline/extract/builtin"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/inbox"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/jobtest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
	"github.com/pamline/pamline/providers"
)

// noAsker fails each import for a reason that its owner can remove.
type noAsker struct{}

func (noAsker) Ask(context.Context, job.Ref, job.Want) (job.Asked, error) {
	return job.Asked{}, fault.Permanentf("remove the line", "read settings: there is no importer \"diary\"")
}

// refuseEntry has an entry of an inbox refused before it becomes a drop.
func refuseEntry(t *testing.T, w *jobtest.World, owner, key string) {
	t.Helper()
	w.Put(key, "talks")
	in := inbox.New(inbox.Options{Store: w.Store, Registry: providers.Default(), Extractors: builtin.Registry(), Now: w.Store.Now, Rules: inbox.Rules{Owner: owner}}, nil, noAsker{})
	if err := in.Take(t.Context(), inbox.Task{V: 1, Owner: owner, Key: key}, true); err != nil {
		t.Fatal(err)
	}
}

func TestAnEntryThatNeverBecameADropIsARefusedRow(t *testing.T) {
	w := jobtest.New(t)
	refuseEntry(t, w, "ann", "inbox/ann/talks of mine.json")
	refuseEntry(t, w, "bob", "inbox/root.json")
	w.Import(w.Drop("ann", "a.zip"), small, job.Want{})
	c := status.NewCatalog(w.Store)
	for _, q := range []status.Query{{Owner: "ann"}, {Owner: "ann", State: state.StateRefused}} {
		_, page := list(t, c, q)
		row := page.Imports[len(page.Imports)-1]
		if row.State != state.StateRefused {
			row = page.Imports[0]
		}
		if len(row.Files) != 1 || row.Files[0] != "talks of mine.json" || row.Gen != 0 || row.Owner != "ann" || row.Reason == "" || row.Hint != "remove the line" || row.UpdatedAt == "" || row.IsOpen() {
			t.Fatalf("%+v: %+v", q, row)
		}
		found, err := c.Find(t.Context(), "", row.ID()[:8])
		if err != nil || found.Files[0] != row.Files[0] {
			t.Errorf("found %+v, %v", found, err)
		}
		report, err := c.Report(t.Context(), row.Ref(), row.Gen)
		if err != nil || report.State != state.StateRefused || report.Parts[0].Name != row.Files[0] || report.Reason != row.Reason || report.Hint != row.Hint {
			t.Errorf("report %+v, %v", report, err)
		}
		if _, page := list(t, c, status.Query{ID: row.Drop, Older: true}); len(page.Imports) != 1 || page.Imports[0].Reason != row.Reason {
			t.Errorf("generations %+v", page)
		}
		w.Put(w.Store.Keys("drops/ann/")[0], "{")
		if damaged, err := c.Find(t.Context(), "ann", row.Drop); err != nil || damaged.State != status.StateUnreadable || damaged.Unusable == "" {
			t.Errorf("damaged: %+v, %v", damaged, err)
		}
		if _, err := c.Report(t.Context(), row.Ref(), 0); fault.Of(err) != fault.Permanent {
			t.Errorf("report of a damaged one: %v", err)
		}
		if err := w.Store.Delete(t.Context(), w.Store.Keys("drops/ann/")[0]); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Find(t.Context(), "ann", row.Drop); !errors.Is(err, status.ErrNoImport) {
			t.Errorf("removed: %v", err)
		}
		if _, err := c.Report(t.Context(), row.Ref(), 0); !errors.Is(err, status.ErrNoImport) {
			t.Errorf("report of a removed one: %v", err)
		}
		refuseEntry(t, w, "ann", "inbox/ann/talks of mine.json")
	}
	if _, page := list(t, c, status.Query{State: state.StateRefused}); len(page.Imports) != 2 {
		t.Errorf("of all owners: %+v", page.Imports)
	}
	for _, query := range []status.Query{{Owner: "ann", State: state.StateDone}, {Owner: "ann", State: status.StateOpen}} {
		if _, page := list(t, c, query); len(page.Imports) > 1 || len(page.Imports) == 1 && page.Imports[0].State != state.StateDone {
			t.Errorf("%+v: %+v", query, page.Imports)
		}
	}
}
