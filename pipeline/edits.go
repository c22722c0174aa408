package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// ErrNoMemory is returned for an edit of a memory that the store does not have.
var ErrNoMemory = errors.New("there is no memory of that id in the store")

// ErrNoContent is returned for an edit that is to make a memory and has no readable text for it.
var ErrNoContent = errors.New("the memory has no text, or one that is not UTF-8")

// ErrNoStore is returned for an edit of an owner who has no store.
var ErrNoStore = errors.New("there is no store of that owner yet: name another with --owner, or import something first")

// Edit records a change that the person made by hand, and publishes the store that follows from it. An edit that says what
// holds already is recorded, too, for it is newer than what said so before.
func Edit(ctx context.Context, d Deps, owner string, e assemble.Edit) (state.StoreChange, error) {
	if err := state.CheckOwner(owner); err != nil {
		return state.StoreChange{}, err
	}
	if makes := e.Action == assemble.EditAdd || e.Action == assemble.EditReplace; makes && (!utf8.ValidString(e.Content) || pamio.NormalizeContent(e.Content) == "") {
		return state.StoreChange{}, fmt.Errorf("record edit: %w", ErrNoContent)
	}
	head, _, err := state.ReadHead(ctx, d.Store, owner)
	if err != nil {
		return state.StoreChange{}, err
	}
	if head.ExportID == "" {
		return state.StoreChange{}, fmt.Errorf("edit store of %s: %w", owner, ErrNoStore)
	}
	if e.Memory != "" {
		m, err := findMemory(ctx, d.Store, owner, head, e.Memory)
		if err != nil {
			return state.StoreChange{}, err
		}
		if e.Memory = m.ID; e.Action == assemble.EditReplace && e.Type == "" {
			e.Type, e.CustomType = m.Type, m.CustomType
		}
	}
	if err := publish.AppendEdit(ctx, d.Store, owner, e); err != nil {
		return state.StoreChange{}, err
	}
	for range swapTries {
		change, _, err := assembleOnce(ctx, d, owner, nil)
		if errors.Is(err, blob.ErrPrecondition) {
			continue
		}
		if err != nil {
			err = fmt.Errorf("publish edit, which is recorded and comes with the next import: %w", err)
		}
		return change, err
	}
	return state.StoreChange{}, &fault.Fault{Class: fault.Outage, Err: fmt.Errorf("swap head of %s: lost %d races", owner, swapTries), Hint: "the change is recorded; the next import takes it in"}
}

// findMemory gives the memory whose id is, or uniquely begins with, the given text.
func findMemory(ctx context.Context, s blob.Store, owner string, head state.Head, begin string) (*pamio.Memory, error) {
	begin = strings.ToLower(strings.TrimSpace(begin))
	if head.ExportID == "" || len(begin) < 4 {
		return nil, fmt.Errorf("edit %q: %w", begin, ErrNoMemory)
	}
	rc, _, err := s.Get(ctx, state.ExportKey(owner, head.ExportID, ".json"), blob.Range{})
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	var found *pamio.Memory
	like := 0
	err = pamio.ReadStore(rc, pamio.Visitor{Memory: func(e pamio.Element) error {
		m, err := pamio.ParseMemory(e.Raw)
		if err != nil || !strings.HasPrefix(m.ID, begin) {
			return err
		}
		if like++; found == nil || m.ID == begin {
			found = m
		}
		return nil
	}})
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return nil, fmt.Errorf("edit %q: %w", begin, ErrNoMemory)
	case like > 1 && found.ID != begin:
		return nil, fmt.Errorf("edit %q: %d memories begin like that: give more of the id", begin, like)
	}
	return found, nil
}
