package ingest

import (
	"context"
	"encoding/hex"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/membudget"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
	"github.com/pamline/pamline/providers"
)

// archiveRun is one reading of an archive: one goroutine reads and splits, Workers decode and
// compress, one packs in source order. So the packs do not depend on the number of workers.
type archiveRun struct {
	Options
	m       state.Manifest
	rec     state.DropRecord
	found   *providers.Detection
	publish Publish
	// extractors are those of the import; find runs them on documents, and is nil if they wait.
	extractors []extract.Extractor
	find       state.Find
	budget     membudget.Share
	fault      *firstFault // of reading the drop

	// erased is what the owner has had erased.
	erased *ledger.Ledger
	// reuse takes elements over from earlier imports; nil if none are.
	reuse *reuse

	claims []providers.Detected
	sums   []*digesting   // of the sources
	source map[int]int    // member index → source
	assets map[int]string // member index → name of the copied file
	read   atomic.Int64
	total  int64
	skip   int64 // units of complete packs of an earlier run
	writer packWriter
}

func newArchiveRun(o Options, m state.Manifest, rec state.DropRecord, a *archive.Archive, found *providers.Detection, extractors []extract.Extractor, publish Publish, storage *firstFault) *archiveRun {
	in := &archiveRun{Options: o, m: m, rec: rec, found: found, extractors: extractors, publish: publish, fault: storage, source: map[int]int{}}
	in.budget.Of = membudget.BudgetOr(o.Budget, o.Workers, o.Memory, o.Limits)
	in.describeArchive(a)
	in.listSources(a)
	in.writer = packWriter{in: in, full: make(chan *pack)}
	if o.Finder != nil {
		in.find = o.Finder(extractors, o.Embeddings)
	}
	return in
}

// describeArchive writes into the manifest what the archive is, and what no importer reads.
func (in *archiveRun) describeArchive(a *archive.Archive) {
	in.m.Parts = make([]state.Part, len(in.rec.Parts))
	for i, p := range in.rec.Parts {
		in.m.Parts[i].Name = p.Name
		in.m.Parts[i].Kind = a.Kind
		if p.Folder {
			in.m.Parts[i].Kind = "folder"
		}
	}
	for _, m := range a.Members {
		in.m.Parts[m.Part].Members++
	}
	if a.Truncated != nil {
		in.m.Notes = append(in.m.Notes, "The archive is truncated; what could be read was read: "+a.Truncated.Error())
	}
	for _, c := range in.found.Claims {
		in.m.Notes, in.m.Described = append(in.m.Notes, c.Claim.Notes...), append(in.m.Described, c.Claim.Described...)
		in.m.Exports = append(in.m.Exports, c.Claim.Exports...)
		in.m.Signatures = append(in.m.Signatures, c.Claim.Signatures...)
	}
	for _, r := range a.Refused {
		in.m.Refused = append(in.m.Refused, state.Refusal{Part: r.Archive, Member: r.Member, Reason: r.Error()})
	}
	for what, n := range a.LeftOut {
		in.m.Counts.Skip(what, "not a file of the export", n)
	}
	in.reportUnclaimed()
}

// reportUnclaimed accounts for the members that no importer claims. Members that look like an
// export but are none, and parts of which nothing is read, are refusals, which the person is told
// of. The others are counted by what they are.
func (in *archiveRun) reportUnclaimed() {
	claimed := map[int]bool{}
	for _, c := range in.found.Claims {
		for _, m := range c.Claim.Members {
			claimed[m.Member.Part] = true
		}
	}
	unknown := map[int]int{}
	for _, u := range in.found.Unclaimed {
		name := in.rec.Parts[u.Member.Part].Name
		switch {
		case in.found.Missed[u.Member.Index] && len(in.m.Refused) < state.MaxListed:
			reason := u.Reason
			if u.Hint != "" {
				reason += "; " + u.Hint
			}
			in.m.Refused = append(in.m.Refused, state.Refusal{Part: name, Member: u.Member.Name, Reason: reason})
		case claimed[u.Member.Part]:
			in.m.Counts.Skip("member-not-read", "no importer reads these files; the manifest names the first of them", 1)
			if len(in.m.Unread) < state.MaxListed {
				in.m.Unread = append(in.m.Unread, state.Refusal{Part: name, Member: u.Member.Name, Reason: u.Reason})
			}
		case unknown[u.Member.Part] == 0:
			in.m.Refused = append(in.m.Refused, state.Refusal{Part: name, Member: u.Member.Name, Reason: u.Reason})
			unknown[u.Member.Part]++
		default:
			in.m.Counts.Skip("part-not-read", "nothing in this part of the drop is known; the refusals name its first file", 1)
		}
	}
}

// element is one unit of the archive on its way: split off, decoded, packed.
type element struct {
	unit   providers.Unit
	imp    providers.Importer
	size   int64
	memory membudget.Reservation
	ready  chan struct{}
	result decoded
}

func (in *archiveRun) run(ctx context.Context) error {
	if err := in.copyAssets(ctx); err != nil {
		return err
	}
	if err := in.writer.resume(ctx); err != nil {
		return err
	}
	in.reuse = openReuse(ctx, in)
	defer in.reuse.report()
	g, gctx := errgroup.WithContext(ctx)
	depth := 16 * in.Workers // enough that no worker waits; the budget bounds their bytes
	todo, order := make(chan *element, depth), make(chan *element, depth)
	g.Go(func() error {
		defer close(todo)
		defer close(order)
		return fault.Recovered("split drop", func() error { return in.splitMembers(gctx, todo, order) })
	})
	for range in.Workers {
		g.Go(func() error {
			for j := range todo {
				j.result = in.decodeUnit(gctx, j)
				j.unit.Raw = nil
				close(j.ready)
			}
			return nil
		})
	}
	g.Go(func() error {
		defer close(in.writer.full)
		for j := range order {
			select {
			case <-j.ready:
			case <-gctx.Done():
				return gctx.Err()
			}
			err := in.writer.addUnit(gctx, j)
			in.budget.Release(j.memory)
			if err != nil {
				return err
			}
			in.Observe.Tell(telemetry.Event{Stage: telemetry.StageIngest, Owner: in.m.Owner, Drop: in.m.Drop, Import: in.m.Import,
				Bytes: in.read.Load(), Total: in.total, Units: in.writer.units})
		}
		return in.writer.flush(gctx)
	})
	g.Go(func() error { return in.writer.run(gctx) })
	err := g.Wait()
	in.budget.ReleaseAll()
	if err != nil {
		return err
	}
	for i, src := range in.sums {
		if src.read {
			in.m.Sources[i].Checksum = "sha256:" + hex.EncodeToString(src.sum.Sum(nil))
		}
	}
	for i, newest := range in.writer.newest {
		in.m.Parts[i].Newest = newest
	}
	return nil
}

// splitMembers sends the units of all claims on, in order, except those that an earlier run packed.
func (in *archiveRun) splitMembers(ctx context.Context, todo, order chan<- *element) error {
	limits := in.units()
	grows := &membudget.Growing{Share: &in.budget, Limit: limits.MaxConversation}
	defer grows.Release()
	limits.Memory = grows
	var n int64
	for _, f := range in.claims {
		for unit, err := range f.Importer.Split(ctx, f.Claim, limits) {
			if storage := in.fault.get(); storage != nil {
				return fmt.Errorf("read drop %s: %w", in.m.Drop, storage)
			}
			if err != nil {
				return fmt.Errorf("read drop %s: %w", in.m.Drop, contentFault(err))
			}
			n++
			if n <= in.skip {
				grows.Release()
				continue
			}
			weight := membudget.EstimateUnit(unit.Raw) + membudget.EstimateParts(unit.Parts)
			if bad := membudget.CheckUnit(unit, weight, limits.MaxConversation); bad != nil {
				unit.Err, unit.Raw, weight = bad, nil, 0
			}
			j := &element{unit: unit, imp: f.Importer, size: int64(len(unit.Raw)), ready: make(chan struct{})}
			if unit.Err != nil {
				j.size = unit.Err.Size
			}
			var err error
			if j.memory, err = grows.Reserve(ctx, weight); err != nil {
				return err
			}
			for _, to := range []chan<- *element{todo, order} {
				select {
				case to <- j:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
	}
	if storage := in.fault.get(); storage != nil {
		return fmt.Errorf("read drop %s: %w", in.m.Drop, storage)
	}
	return nil
}
