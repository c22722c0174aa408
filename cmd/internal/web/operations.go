package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

// shownQueue is the queue of a stage.
type shownQueue struct {
	Name                       string
	Waiting, InFlight, Delayed uint64
}

// queueNames are the stages, by their streams, in the order in which an archive passes them.
var queueNames = []struct{ stream, name string }{
	{dispatch.StreamEvents, "Notifications of the bucket"}, {dispatch.StreamTake, "Accept uploads"}, {dispatch.StreamIngest, "Read archives"},
	{dispatch.StreamExtract, "Find memories"}, {dispatch.StreamAssemble, "Compute stores"},
}

// queuesOf adds up the queues of the stages.
func queuesOf(depths []queue.Depth) (all []shownQueue) {
	for _, named := range queueNames {
		q, isThere := shownQueue{Name: named.name}, false
		for _, d := range depths {
			if d.Stream != named.stream {
				continue
			}
			isThere = true
			if d.Delayed {
				q.Delayed += d.Waiting + d.InFlight
				continue
			}
			q.Waiting, q.InFlight = q.Waiting+d.Waiting, q.InFlight+d.InFlight
		}
		if isThere {
			all = append(all, q)
		}
	}
	return all
}

// shownOwner is an owner at a glance.
type shownOwner struct {
	Name      string
	Published int64 // how often a store was published
	Size      int64
	Unusable  bool
	Open      int
	Failures  int
}

// maxOwners is how many owners are shown.
const maxOwners = 500

// operations shows what the workers do. A visitor who was let in as an owner sees the work of that
// owner; one who was let in to operate sees that of all owners, without names of files.
func (p *Page) operations(w http.ResponseWriter, v *visit) error {
	data := map[string]any{"Operator": v.isOperator}
	if p.o.Queues != nil {
		depths, err := p.o.Queues(v.Context())
		if err != nil {
			data["QueueProblem"] = true
		}
		data["Queues"] = queuesOf(depths)
	}
	open, err := p.o.Client.Imports(v.Context(), status.Query{Owner: v.owner, State: status.StateOpen, Limit: pageSize})
	if err != nil {
		return err
	}
	failures, err := p.o.Client.DeadLetters(v.Context(), replay.Filter{Owner: v.owner, Limit: pageSize})
	if err != nil {
		return err
	}
	if v.isOperator {
		for i := range failures.Letters {
			failures.Letters[i].Files = nil
		}
	}
	owners, more, err := p.ownersFor(v)
	if err != nil {
		return err
	}
	for i := range owners {
		for _, row := range open.Imports {
			owners[i].Open += map[bool]int{true: 1}[row.Owner == owners[i].Name]
		}
		for _, l := range failures.Letters {
			owners[i].Failures += map[bool]int{true: 1}[l.Owner == owners[i].Name]
		}
	}
	for i := range open.Imports {
		open.Imports[i].Drop = cmp.Or(open.Imports[i].Drop, open.Imports[i].Import)
	}
	data["Open"], data["MoreOpen"], data["Failures"], data["MoreFailures"] = shownRows(open.Imports), open.Next != "", failures.Letters, failures.Next != ""
	data["Owners"], data["MoreOwners"] = owners, more
	p.render(w, v, http.StatusOK, "operations", "Operations", data)
	return nil
}

// runningRow is an import at work.
type runningRow struct {
	status.Row
	Percent int
	IsEdit  bool
}

func shownRows(rows []status.Row) (all []runningRow) {
	for _, r := range rows {
		all = append(all, runningRow{r, percentOf(r), r.Drop == state.OwnerJob})
	}
	return all
}

// ownersFor are the owners that a visitor may know of.
func (p *Page) ownersFor(v *visit) (all []shownOwner, more bool, err error) {
	names := []string{v.owner}
	if v.isOperator {
		names = nil
		for name, err := range state.ListOwners(v.Context(), p.o.Store) {
			if err != nil {
				return nil, false, err
			}
			if names = append(names, name); len(names) > maxOwners {
				names, more = names[:maxOwners], true
				break
			}
		}
	}
	for _, name := range names {
		one := shownOwner{Name: name}
		head, _, err := state.ReadHead(v.Context(), p.o.Store, name)
		if err != nil && v.Context().Err() != nil {
			return nil, false, err
		}
		one.Published, one.Size, one.Unusable = int64(head.Sequence), head.Size, err != nil
		all = append(all, one)
	}
	return all, more, nil
}

// retryFailure has failed work done again: of the owner who was let in or, for an operator, of the
// owner that the form names.
func (p *Page) retryFailure(w http.ResponseWriter, v *visit) error {
	if err := v.readForm(w); err != nil {
		return err
	}
	owner := v.owner
	if v.isOperator {
		owner = v.PostForm.Get("owner")
	}
	drop := v.PostForm.Get("drop")
	if state.CheckOwner(owner) != nil || drop == "" {
		return notFoundError{"There is no such failure."}
	}
	failed, err := p.o.Client.DeadLetters(v.Context(), replay.Filter{Owner: owner, Drop: drop, Limit: 1})
	if errors.Is(err, replay.ErrFilter) || err == nil && !slices.ContainsFunc(failed.Letters, func(l replay.DeadLetter) bool { return l.Owner == owner && strings.HasPrefix(l.Drop, drop) }) {
		return notFoundError{"There is no such failure: it was tried again, or resolved."}
	}
	if err != nil {
		return err
	}
	if _, err := p.o.Client.Redrive(v.Context(), job.Ref{Owner: owner, Drop: drop}); err != nil {
		return err
	}
	seeOther(w, v, "operations?notice=retry")
	return nil
}

// Queues tells how much work waits.
type Queues func(context.Context) ([]queue.Depth, error)
