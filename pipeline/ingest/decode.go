package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pipeline/known"
	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

// decoded is a unit's outcome, ready to be packed.
type decoded struct {
	packed []packed
	skips  []providers.Skip
	// quarantined is the unit, or files in it; then the rest of it is among packed.
	quarantined []providers.UnitError
}

func quarantineUnit(u providers.UnitError) decoded {
	return decoded{quarantined: []providers.UnitError{u}}
}

// packed is a snapshot or record as it lies in a pack.
type packed struct {
	line      state.SnapshotLine
	frame     []byte
	newest    string
	anomalies map[string]int
	loss      normalize.Loss
	assets    []inlineAsset
	// found are the findings in the document; unread tells that it was not extracted.
	found  state.Findings
	unread bool
	// known is the note of the element, for later imports; nil for none.
	known *known.Element
}

// decodeUnit turns a unit into compressed documents. No content of a unit can fail more than the
// unit. The outcome of a unit that an earlier import has read is taken over.
func (in *archiveRun) decodeUnit(ctx context.Context, j *element) (out decoded) {
	u := j.unit
	at := providers.UnitError{Member: u.Member.Name, Index: u.Index, Offset: u.Offset, Size: int64(len(u.Raw))}
	defer func() {
		if p := recover(); p != nil {
			in.Log.Error(fmt.Sprintf("importer panicked with a %T; the unit is quarantined\n%s", p, debug.Stack()))
			at.Code, at.Reason = "importer-failed", "the importer has a fault that this unit brings out: please report it with the import's receipt"
			out = quarantineUnit(at)
		}
	}()
	if u.Err != nil {
		return quarantineUnit(*u.Err)
	}
	digest := in.reuse.digestElement(j)
	if out, ok := in.reuse.takeElement(ctx, j, digest); ok {
		return out
	}
	items, err := j.imp.Decode(u)
	// Memory is released as soon as possible: else a large unit would hold its source, its document
	// and its JSON together.
	u.Raw, j.unit.Raw = nil, nil
	if err != nil {
		var bad *providers.UnitError
		if !errors.As(err, &bad) {
			at.Code, at.Reason = "unreadable", err.Error()
			bad = &at
		}
		return quarantineUnit(*bad)
	}
	for i, item := range items {
		items[i] = providers.Item{}
		switch {
		case item.Skip != nil:
			out.skips = append(out.skips, *item.Skip)
		case in.isErased(item):
			out.skips = append(out.skips, providers.Skip{Code: ledger.CodeErased, Reason: ledger.ReasonErased, Count: 1})
		case item.Conversation != nil:
			p, lost, err := in.packSnapshot(u, item.Conversation, at)
			if err != nil {
				at.Code, at.Reason = "invalid-document", "the document made of it would not be valid PAM: "+err.Error()
				return quarantineUnit(at)
			}
			if len(items) == 1 && len(lost) == 0 {
				p.noteElement(j, digest, item.Conversation)
			}
			out.packed = append(out.packed, p)
			out.quarantined = append(out.quarantined, lost...)
		case item.Record != nil:
			p, err := in.packRecord(u, j.imp, item.Record)
			if err != nil {
				at.Code, at.Reason = "invalid-record", "the record made of it cannot be stored: "+err.Error()
				return quarantineUnit(at)
			}
			out.packed = append(out.packed, p)
		}
	}
	return out
}

// isErased tells whether the owner has had an item erased.
func (in *archiveRun) isErased(item providers.Item) bool {
	switch {
	case in.erased.IsEmpty():
		return false
	case item.Conversation != nil:
		return in.erased.HasConversation(item.Conversation.Doc.ID, item.Conversation.Doc.Temporal.CreatedAt)
	case item.Record != nil && in.isErasedElement(item.Record):
		return true
	case item.Record != nil:
		return in.erased.HasRecord(cmp.Or(item.Record.Text, string(item.Record.Raw)), cmp.Or(item.Record.UpdatedAt, item.Record.CreatedAt))
	}
	return false
}

// isErasedElement tells whether an element of another store goes with what was erased, or what the
// record of another format that it was made of depends on does.
func (in *archiveRun) isErasedElement(r *providers.Record) bool {
	if in.erased.HasElement(r.Kind, r.Raw, r.CreatedAt) {
		return true
	}
	return r.Kind == extract.RecordPAMMemory &&
		providers.IsErased(r.Raw, func(id string) bool { return in.erased.HasMemory(id, r.CreatedAt) || in.erased.HasTombstone(id) })
}

// packSnapshot makes the line and the frame of a snapshot. From here on its references name files
// of the bundle. lost are its files that were left out.
func (in *archiveRun) packSnapshot(u providers.Unit, s *providers.Snapshot, at providers.UnitError) (_ packed, lost []providers.UnitError, err error) {
	assets, gone, lost, err := in.checkInside(s, at)
	if err != nil {
		return packed{}, nil, err
	}
	in.nameAssets(s, gone)
	if err := s.Doc.Check(); err != nil {
		return packed{}, nil, err
	}
	doc, giveBack := documentBuffer(s.Doc, at.Size)
	doc = s.Doc.AppendJSON(doc)
	defer func() { giveBack(doc) }()
	sum := sha256.Sum256(doc)
	line := state.SnapshotLine{
		Conversation: s.Doc.ID, Order: s.Order, Digest: hex.EncodeToString(sum[:]),
		Size: int64(len(doc)), Source: in.source[u.Member.Index], Position: int64(u.Index),
		Platform: s.Doc.Provider.Name, Title: s.Doc.Title,
		CreatedAt: s.Doc.Temporal.CreatedAt, UpdatedAt: s.Doc.Temporal.UpdatedAt,
		Messages: int64(len(s.Doc.Messages)), Tags: s.Doc.Tags,
		Import: s.Import, Wanted: !s.Settled && slices.ContainsFunc(in.extractors, func(e extract.Extractor) bool { return extract.Wants(e, doc) }),
	}
	p := packed{newest: s.Newest, anomalies: s.Anomalies, loss: s.Loss, assets: assets}
	p.found, p.unread = in.extractEarly(s.Doc, doc, line)
	s.Doc = nil // as in decodeUnit
	p.frame = packFrame(doc)
	line.Length = int64(len(p.frame))
	p.line = line
	return p, lost, nil
}
