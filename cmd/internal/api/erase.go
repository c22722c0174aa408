package api

import (
	"context"
	"errors"

	"github.com/pamline/pamline/pipeline/erase"
)

// eraser erases in the store of a service (*pipeline.Pipeline).
type eraser interface {
	FindErasure(ctx context.Context, owner string, t erase.Target) (erase.Preview, error)
	Erase(ctx context.Context, owner string, t erase.Target, keepOriginals bool) (erase.Receipt, error)
}

// eraseRequest names what is to be erased.
type eraseRequest struct {
	Owner         string `json:"owner"`
	Level         string `json:"level"` // memory, conversation, drop or owner
	ID            string `json:"id,omitempty"`
	KeepOriginals bool   `json:"keep_originals,omitempty"`
	DryRun        bool   `json:"dry_run,omitempty"`
}

// eraseAnswer has what would be erased, or what was.
type eraseAnswer struct {
	Preview *erase.Preview `json:"preview,omitempty"`
	Receipt *erase.Receipt `json:"receipt,omitempty"`
}

func (r eraseRequest) run(ctx context.Context, e eraser) (answer eraseAnswer, err error) {
	t := erase.Target{Level: r.Level, ID: r.ID}
	if err := t.Check(); err != nil {
		return answer, &WrongRequestError{err}
	}
	if r.DryRun {
		p, err := e.FindErasure(ctx, r.Owner, t)
		answer.Preview = &p
		return answer, wrongIfUnknown(err)
	}
	receipt, err := e.Erase(ctx, r.Owner, t, r.KeepOriginals)
	answer.Receipt = &receipt
	return answer, wrongIfUnknown(err)
}

func wrongIfUnknown(err error) error {
	if errors.Is(err, erase.ErrUnknown) {
		return &WrongRequestError{err}
	}
	return err
}
