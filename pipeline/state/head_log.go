package state

import (
	"context"
	"errors"
	"fmt"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
)

// Each head is also written once under its sequence, after the swap and before anything is reported
// of it. The log of heads stands in for head.json if that is missing, damaged or an older version:
// a generation whose head is in neither has not ended, and is done again.

// headLogPrefix is the prefix of the logged heads of an owner.
func headLogPrefix(owner string) string { return OwnerKey(owner, "heads/") }

// HeadLogKey is the key of a logged head.
func HeadLogKey(owner string, sequence int64) string {
	return fmt.Sprintf("%s%012d.json", headLogPrefix(owner), sequence)
}

// LogHead writes a head into the log, unless it is there.
func LogHead(ctx context.Context, s blob.Store, owner string, h Head) error {
	if h.Sequence == 0 {
		return nil
	}
	key := HeadLogKey(owner, h.Sequence)
	there, err := objects.Exists(ctx, s, key)
	if err == nil && !there {
		_, err = objects.PutOnceJSON(ctx, s, key, h)
	}
	if err != nil {
		return fmt.Errorf("log head of %s: %w", owner, err)
	}
	return nil
}

// ReadHead gives the head and the ETag of head.json, "" if that is missing; an owner without a
// store has the zero Head. If head.json is not the newest head, ReadHead gives the newest one of
// the log: the next swap repairs head.json.
func ReadHead(ctx context.Context, s blob.Store, owner string) (Head, string, error) {
	var h Head
	for {
		before := h.Sequence
		h = Head{}
		tag, err := objects.ReadJSON(ctx, s, HeadKey(owner), &h)
		switch {
		case objects.IsMissing(err), errors.Is(err, objects.ErrDamaged):
			h, err = newestLogged(ctx, s, owner, err)
			return h, tag, err
		case err != nil:
			return Head{}, tag, err
		}
		newer, err := objects.Exists(ctx, s, HeadLogKey(owner, h.Sequence+1))
		if err != nil || !newer {
			return h, tag, err
		}
		if h.Sequence == before { // nobody is swapping: head.json is an older version
			h, err = newestLogged(ctx, s, owner, nil)
			return h, tag, err
		}
	}
}

// newestLogged gives the newest head of the log; cause is why head.json is not used. If the log is
// empty, a missing head.json is that of a new owner, unless there are receipts.
func newestLogged(ctx context.Context, s blob.Store, owner string, cause error) (h Head, err error) {
	// The log is listed second: it is written before a receipt.
	hasReceipts, err := objects.HasAny(ctx, s, OwnerKey(owner, "receipts/"))
	if err != nil {
		return h, err
	}
	newest := ""
	for o, err := range s.List(ctx, headLogPrefix(owner)) {
		if err != nil {
			return h, fmt.Errorf("list heads of %s: %w", owner, err)
		}
		newest = o.Key
	}
	switch {
	case newest != "":
		_, err = objects.ReadJSON(ctx, s, newest, &h)
		return h, err
	case !objects.IsMissing(cause):
		return h, cause
	case hasReceipts:
		return h, fault.Permanentf(objects.UnusableHint(HeadKey(owner)), "read %s: %w, but the owner has receipts of imports", HeadKey(owner), cause)
	}
	return h, nil
}
