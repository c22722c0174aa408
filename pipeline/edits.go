package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
)

// ErrNoMemory is returned for an edit of a memory that the store does not have.
var ErrNoMemory = errors.New("there is no memory of that id in the store")

// ErrNoContent is returned for an edit that is to make a memory and has no readable text for it.
var ErrNoContent = errors.New("the memory has no text, or one that is not UTF-8")

// ErrNoStore is returned for an edit of an owner who has no store.
var ErrNoStore = errors.New("there is no store of that owner yet: name another with --owner, or import something first")

// Edit records a change that the person made by hand, and publishes the store that follows from it. An edit that says what
// holds already is recorded, too, for it is newer than what said so before.
func Edit(ctx context.Context, d Deps, owner string, e assemble.Edit) (StoreChange, error) {
	if err := CheckOwner(owner); err != nil {
		return StoreChange{}, err
	}
	if makes := e.Action == assemble.EditAdd || e.Action == assemble.EditReplace; makes && (!utf8.ValidString(e.Content) || pamio.NormalizeContent(e.Content) == "") {
		return StoreChange{}, fmt.Errorf("record edit: %w", ErrNoContent)
	}
	head, _, err := readHead(ctx, d.Store, owner)
	if err != nil {
		return StoreChange{}, err
	}
	if head.ExportID == "" {
		return StoreChange{}, fmt.Errorf("edit store of %s: %w", owner, ErrNoStore)
	}
	if e.Memory != "" {
		m, err := findMemory(ctx, d.Store, owner, head, e.Memory)
		if err != nil {
			return StoreChange{}, err
		}
		if e.Memory = m.ID; e.Action == assemble.EditReplace && e.Type == "" {
			e.Type, e.CustomType = m.Type, m.CustomType
		}
	}
	if err := appendEdit(ctx, d.Store, owner, e); err != nil {
		return StoreChange{}, err
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
	return StoreChange{}, &Fault{Class: Outage, Err: fmt.Errorf("swap head of %s: lost %d races", owner, swapTries), Hint: "the change is recorded; the next import takes it in"}
}

// findMemory gives the memory whose id is, or uniquely begins with, the given text.
func findMemory(ctx context.Context, s blob.Store, owner string, head Head, begin string) (*pamio.Memory, error) {
	begin = strings.ToLower(strings.TrimSpace(begin))
	if head.ExportID == "" || len(begin) < 4 {
		return nil, fmt.Errorf("edit %q: %w", begin, ErrNoMemory)
	}
	rc, _, err := s.Get(ctx, exportKey(owner, head.ExportID, ".json"), blob.Range{})
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

func appendEdit(ctx context.Context, s blob.Store, owner string, e assemble.Edit) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("record edit: %w", err)
	}
	for {
		before, tag, err := readAll(ctx, s, editsKey(owner))
		if err != nil {
			return err
		}
		o := blob.PutOptions{IfAbsent: tag == "", IfMatch: tag}
		_, err = s.Put(ctx, editsKey(owner), bytes.NewReader(append(append(before, line...), '\n')), o)
		if !errors.Is(err, blob.ErrPrecondition) {
			return err
		}
	}
}

// readEdits gives the changes, and the SHA-256 of their file in hex; "" when there is none.
func readEdits(ctx context.Context, s blob.Store, owner string) (edits []assemble.Edit, sum string, err error) {
	body, tag, err := readAll(ctx, s, editsKey(owner))
	if err != nil || tag == "" {
		return nil, "", err
	}
	for line := range bytes.Lines(body) {
		var e assemble.Edit
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, "", damaged(editsKey(owner), err)
		}
		edits = append(edits, e)
	}
	digest := sha256.Sum256(body)
	return edits, hex.EncodeToString(digest[:]), nil
}

// readAll reads a small object with its ETag; a missing one has neither.
func readAll(ctx context.Context, s blob.Store, key string) (body []byte, tag string, err error) {
	rc, o, err := s.Get(ctx, key, blob.Range{})
	if isMissing(err) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	defer rc.Close()
	body, err = io.ReadAll(rc)
	return body, o.ETag, err
}
