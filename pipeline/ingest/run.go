package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/membudget"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/importer"
)

// ingest is one run of Ingest: one goroutine reads and cuts, Workers decode and compress, one packs in source order, so
// that the packs do not depend on the number of workers.
type archiveRun struct {
	Options
	m       state.Manifest
	rec     state.DropRecord
	found   *providers.Detection
	publish Publish
	// extractors are those of the import.
	extractors []extract.Extractor
	budget     membudget.Share
	fault      *firstFault // of reading the drop

	claims []providers.Detected
	sums   []*digesting   // of the sources
	source map[int]int    // member index → source
	assets map[int]string // member index → name of the copied file
	read   atomic.Int64
	total  int64
	skip   int64 // units of complete packs of an earlier run
	writer packWriter
}

func newIngest(d Options, m state.Manifest, rec state.DropRecord, a *archive.Archive, found *providers.Detection, extractors []extract.Extractor, publish Publish, fault *firstFault) *archiveRun {
	in := &archiveRun{Options: d, m: m, rec: rec, found: found, extractors: extractors, publish: publish, fault: fault, source: map[int]int{}}
	in.budget.Of = membudget.BudgetOr(d.Budget, d.Workers, d.Memory, d.Limits)
	in.describe(a)
	in.tap(a)
	in.writer = packWriter{in: in, full: make(chan *pack)}
	return in
}

// describe writes into the manifest what the archive is and what nobody will read.
func (in *archiveRun) describe(a *archive.Archive) {
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
	for _, r := range a.Refused {
		in.m.Refused = append(in.m.Refused, state.Refusal{Part: r.Archive, Member: r.Member, Reason: r.Error()})
	}
	for what, n := range a.LeftOut {
		in.m.Counts.Skip(what, "not a file of the export", n)
	}
	in.refuse()
}

// refuse accounts for the members that nobody claims. Those that look like an export but are none, and parts of which
// nothing is read, are refusals that a person must hear of; the others are counted by what they are.
func (in *archiveRun) refuse() {
	lookalike, claimed := map[int]bool{}, map[int]bool{}
	for _, c := range in.found.Claims {
		for _, m := range c.Claim.Members {
			claimed[m.Member.Part] = true
		}
		for _, r := range c.Claim.Refused {
			lookalike[r.Member.Index] = true
		}
	}
	unknown := map[int]int{}
	for _, u := range in.found.Unclaimed {
		name := in.rec.Parts[u.Member.Part].Name
		switch {
		case (lookalike[u.Member.Index] || in.found.Damaged[u.Member.Index]) && len(in.m.Refused) < state.MaxListed:
			in.m.Refused = append(in.m.Refused, state.Refusal{Part: name, Member: u.Member.Name, Reason: u.Reason})
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

// tap lists the claimed members as sources and puts a digest and a byte counter into what is read from them.
func (in *archiveRun) tap(a *archive.Archive) {
	for _, f := range in.found.Claims {
		c := f.Claim
		c.Members = append([]providers.ClaimedMember(nil), c.Members...)
		for i, cm := range c.Members {
			in.m.Parts[cm.Member.Part].Claimed++
			if cm.Role == importer.RoleAsset { // copied, not read: its name says its digest
				in.total += max(cm.Member.Size, 0)
				c.Members[i].Member = cm.Member.Through(func(r io.ReadCloser) io.ReadCloser { return &counted{r, &in.read} })
				continue
			}
			in.source[cm.Member.Index] = len(in.sums)
			in.m.Sources = append(in.m.Sources, state.Source{
				Importer: f.Importer.Version(), Part: cm.Member.Part,
				File: sourceFile(a, in.rec, cm.Member, f.Importer),
			})
			src := &digesting{sum: sha256.New(), all: &in.read}
			in.sums = append(in.sums, src)
			in.total += max(cm.Member.Size, 0)
			c.Members[i].Member = cm.Member.Through(func(r io.ReadCloser) io.ReadCloser {
				src.sum.Reset()
				src.read = true
				return &tapped{r, src}
			})
		}
		in.claims = append(in.claims, providers.Detected{Importer: f.Importer, Claim: c})
	}
}

// counted adds what is read to the progress.
type counted struct {
	io.ReadCloser
	all *atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.all.Add(int64(n))
	return n, err
}

// digesting is the digest of a source, of which read tells whether it was opened, and the count of all bytes.
type digesting struct {
	sum  hash.Hash
	read bool
	all  *atomic.Int64
}

type tapped struct {
	io.ReadCloser
	src *digesting
}

func (t *tapped) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.src.sum.Write(p[:n])
	t.src.all.Add(int64(n))
	return n, err
}

// job is one unit on its way: cut, decoded, packed.
type job struct {
	unit   providers.Unit
	imp    providers.Importer
	size   int64
	memory membudget.Grant
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
	g, gctx := errgroup.WithContext(ctx)
	depth := 64 * in.Workers // the budget bounds their bytes
	todo, order := make(chan *job, depth), make(chan *job, depth)
	g.Go(func() error {
		defer close(todo)
		defer close(order)
		return fault.Recovered("cut drop", func() error { return in.cut(gctx, todo, order) })
	})
	for range in.Workers {
		g.Go(func() error {
			for j := range todo {
				j.result = in.decode(j)
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
			err := in.writer.Add(gctx, j)
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

// cut sends the units of all claims on, in order, leaving out those that an earlier run packed.
func (in *archiveRun) cut(ctx context.Context, todo, order chan<- *job) error {
	limits := in.Limits.UnitsIn(in.Scratch)
	grows := &membudget.Growth{Share: &in.budget, Limit: limits.MaxConversation}
	defer grows.Let()
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
				grows.Let()
				continue
			}
			weight := membudget.WeighUnit(unit.Raw)
			if bad := membudget.TooHeavy(unit, weight, limits.MaxConversation); bad != nil {
				unit.Err, unit.Raw, weight = bad, nil, 0
			}
			j := &job{unit: unit, imp: f.Importer, size: int64(len(unit.Raw)), ready: make(chan struct{})}
			if unit.Err != nil {
				j.size = unit.Err.Size
			}
			var err error
			if j.memory, err = grows.Whole(ctx, weight); err != nil {
				return err
			}
			for _, to := range []chan<- *job{todo, order} {
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
