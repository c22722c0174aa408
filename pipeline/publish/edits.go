package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// AppendEdit records one of the person's changes behind the others.
func AppendEdit(ctx context.Context, s blob.Store, owner string, e assemble.Edit) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("record edit: %w", err)
	}
	for {
		before, tag, err := ReadAll(ctx, s, state.EditsKey(owner))
		if err != nil {
			return err
		}
		o := blob.PutOptions{IfAbsent: tag == "", IfMatch: tag}
		_, err = s.Put(ctx, state.EditsKey(owner), bytes.NewReader(append(append(before, line...), '\n')), o)
		if !errors.Is(err, blob.ErrPrecondition) {
			return err
		}
	}
}

// ReadEdits gives the changes, and the SHA-256 of their file in hex; "" when there is none.
func ReadEdits(ctx context.Context, s blob.Store, owner string) (edits []assemble.Edit, sum string, err error) {
	body, tag, err := ReadAll(ctx, s, state.EditsKey(owner))
	if err != nil || tag == "" {
		return nil, "", err
	}
	for line := range bytes.Lines(body) {
		var e assemble.Edit
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, "", state.Damaged(state.EditsKey(owner), err)
		}
		edits = append(edits, e)
	}
	digest := sha256.Sum256(body)
	return edits, hex.EncodeToString(digest[:]), nil
}

// ReadAll reads a small object with its ETag; a missing one has neither.
func ReadAll(ctx context.Context, s blob.Store, key string) (body []byte, tag string, err error) {
	rc, o, err := s.Get(ctx, key, blob.Range{})
	if state.IsMissing(err) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	defer rc.Close()
	body, err = io.ReadAll(rc)
	return body, o.ETag, err
}
