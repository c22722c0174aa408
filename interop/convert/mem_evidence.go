package convert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// changeOps are the operations of the log that the statuses of memories tell of.
var changeOps = map[string]string{"active": "update", "superseded": "supersede", "deprecated": "deprecate", "archived": "archive", "retracted": "retract"}

// AddEvidence adds a record of a .mem bundle to an Evidence Pack: the log, tombstones, and edges,
// each edge once. Others do not belong into one. The writer notes keys.
func AddEvidence(w *mem.Writer, kind string, line []byte) error {
	switch kind {
	case mem.Audit, mem.Tombstone:
		return w.Add(kind, line)
	case "edge", mem.ProvenanceEdge:
		d, err := jsonscan.Parse(line, 0)
		if err != nil || w.Has(mem.ProvenanceEdge, d.Root().Get("id").Str()) {
			return err
		}
		return w.Add(mem.ProvenanceEdge, line)
	}
	return nil
}

// addRecord adds the record that a memory came from.
func (c *memOut) addRecord(kind string, line []byte) error {
	if c.o.Evidence {
		return AddEvidence(c.w, kind, line)
	}
	return c.w.Add(kind, line)
}

// writeEvidence writes the Evidence Pack of a store. Its own memories are told by ids and times
// alone; of what came from a .mem bundle the log and the edges are its own.
func (c *memOut) writeEvidence(ctx context.Context, b *pamio.Bundle) error {
	relation := func(e pamio.Element) error {
		r, err := pamio.ParseRelation(e.Raw)
		if err != nil || c.withheld[r.From] || c.withheld[r.To] || isDerived(r.ID) {
			return err
		}
		return c.addEdge(r.From, r.To, r.Type, r.CreatedAt, r.CreatedAt, 1, r.From, r.To)
	}
	entry := func(e pamio.Element) error {
		i, err := pamio.ParseIndexEntry(e.Raw)
		if err == nil {
			c.w.Note("context", i.ID)
		}
		return err
	}
	return eachMemory(b, pamio.Visitor{Relation: relation, IndexEntry: entry}, func(_ pamio.Element, m *pamio.Memory) error {
		if c.withheld[m.ID] {
			return ctx.Err()
		}
		switch carried := carrierOf(m, "mem"); {
		case carried != nil && (carried.Stub != "" || carried.Kind == "manifest"):
			return nil
		case carried != nil && carried.Raw != "":
			if d, err := jsonscan.Parse([]byte(carried.Raw), 0); err == nil {
				c.w.Note(carried.Kind, mem.KeyOf(carried.Kind, d.Root()))
			}
			return c.shadows.Add(shadowKey(carried.Kind, carried.N), []byte(carried.Raw))
		}
		c.w.Note("episode", m.ID)
		return errors.Join(c.addOrigin(m), ctx.Err())
	})
}

// addOrigin says when a memory was added and changed, and which conversations state it.
func (c *memOut) addOrigin(m *pamio.Memory) error {
	t := m.Temporal
	if err := c.addLog("add", m.ID, m.Provenance.Platform, t.CreatedAt); err != nil {
		return err
	}
	if op := changeOps[m.Status]; t.UpdatedAt != "" && memTime(t.UpdatedAt) != memTime(t.CreatedAt) || op != "update" {
		if err := c.addLog(op, m.ID, m.Provenance.Platform, t.UpdatedAt, t.CreatedAt); err != nil {
			return err
		}
	}
	confidence := 1.0
	if m.Confidence != nil {
		confidence = roundScore(m.Confidence.Current)
	}
	seen := map[string]bool{}
	for _, id := range m.Conversations() {
		if seen[id] {
			continue
		}
		seen[id] = true
		if err := c.addEdge(m.ID, id, "stated_in", t.CreatedAt, m.Provenance.ExtractedAt, confidence, m.ID); err != nil {
			return err
		}
	}
	return nil
}

func (c *memOut) addLog(op, id, actor string, times ...string) error {
	line, err := json.Marshal(map[string]string{"ts": memTime(times...), "actor": actor, "op": op, "targetID": id})
	if err == nil {
		err = c.w.Add(mem.Audit, line)
	}
	if err != nil {
		return fmt.Errorf("log memory %s: %w", id, err)
	}
	return nil
}

func (c *memOut) addEdge(from, to, kind, valid, taken string, confidence float64, evidence ...string) error {
	line, err := json.Marshal(map[string]any{
		"id": uuid.NewSHA1(uuid.NameSpaceOID, []byte(from+"\x00"+to+"\x00"+kind)).String(), "srcEntityID": from, "dstEntityID": to, "edgeType": kind,
		"tValidFrom": memTime(valid), "ingestionTime": memTime(taken, valid), "confidence": confidence, "evidenceEpisodeIDs": evidence,
	})
	if err == nil {
		err = AddEvidence(c.w, mem.ProvenanceEdge, line)
	}
	if err != nil {
		return fmt.Errorf("trace memory %s: %w", from, err)
	}
	return nil
}
