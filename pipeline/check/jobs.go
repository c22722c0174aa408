package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

var all = blob.Range{}

// checkJobs compares job records and receipts with the input set.
func (c *ownerCheck) checkJobs(ctx context.Context) error {
	for _, drop := range slices.Sorted(maps.Keys(c.set.Drops)) {
		e := c.set.Drops[drop]
		key := state.JobKey(c.owner, drop)
		of := subject{namedBy: "the input set", consequence: "which generation of the drop is the newest is not known: it cannot be imported or replayed"}
		if !c.found.need(key, "", of) {
			continue
		}
		r, err := c.jobs.Read(ctx, job.Ref{Owner: c.owner, Drop: drop})
		if err != nil {
			if isDamage(err) {
				continue
			}
			return err
		}
		old := r.Gen < e.Gen
		if r.IsOpen(e.Gen) {
			hinted, err := objects.Exists(ctx, c.Store, state.OpenKey(c.owner, drop, e.Gen))
			if err != nil {
				return err
			}
			old = !hinted // an interrupted end has its hint
		}
		if old {
			c.found.damage[key] = &Damage{Object: key, kind: kindJob, Consequence: of.consequence, of: of,
				Problem: fmt.Sprintf("it is an older version: generation %d, the input set has generation %d as ended", r.Gen, e.Gen)}
			continue
		}
		if r.State == job.Ended && r.Gen == e.Gen && r.Outcome == job.Done {
			c.found.need(state.ReceiptKey(c.owner, drop, e.Gen), "", subject{namedBy: "the job record", consequence: kindReceipt.consequence})
		}
	}
	return nil
}

// checkDrops checks the records of drops and their archives.
func (c *ownerCheck) checkDrops(ctx context.Context) error {
	for drop, e := range c.set.Drops {
		if drop != state.OwnerJob && e.Import != "" && !c.erased[e.Import] { // an erasure removes the archive
			c.found.need(state.DropKey(c.owner, drop, "drop.json"), "", subject{namedBy: "the input set", consequence: kindDrop.consequence, manifest: state.Manifest{Import: e.Import, Drop: drop}})
		}
	}
	for _, key := range c.found.keys["drop record"] {
		if c.found.damage[key] != nil {
			continue
		}
		drop := strings.TrimSuffix(strings.TrimPrefix(key, state.InboxPrefix(c.owner)), "/drop.json")
		rec, err := state.ReadDrop(ctx, c.Store, c.owner, drop)
		switch {
		case err != nil && !isDamage(err):
			return err
		case err != nil:
			c.found.damage[key] = &Damage{Object: key, Problem: withoutHint(err), kind: kindDrop, of: subject{namedBy: "its folder"}}
			continue
		}
		for _, p := range rec.Parts {
			if err := c.checkPart(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPart reads a copied archive. One that lies where a person has put it may be moved or
// replaced at any time.
func (c *ownerCheck) checkPart(ctx context.Context, p state.DropPart) error {
	if p.ETag != "" || p.Files != nil || !c.found.has(p.Key) && c.found.has(state.RemovedMark(p.Key)) {
		return nil
	}
	if c.Pause != nil {
		if err := c.Pause(ctx); err != nil {
			return err
		}
	}
	whole, err := objects.IsWhole(ctx, c.Store, p.Key, p.SHA256)
	if err != nil {
		return err
	}
	c.found.objects++
	c.found.bytes += p.Size
	if c.Seen != nil {
		c.Seen(p.Size)
	}
	if !whole {
		problem := "it is not the archive that was imported"
		if !c.found.has(p.Key) {
			problem = "it is missing"
		}
		c.found.damage[p.Key] = &Damage{Object: p.Key, Problem: problem, kind: kindPart, digest: p.SHA256}
	}
	return nil
}
