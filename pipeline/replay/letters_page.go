package replay

import (
	"context"
	"fmt"
)

// LetterPage is a part of a list of dead letters.
type LetterPage struct {
	Letters []DeadLetter `json:"letters"`
	// Next is the After of the next page; "" on the last.
	Next string `json:"next,omitempty"`
}

// defaultPage is how many letters a page has if its filter names no limit.
const defaultPage = 100

// Page gives a page of the dead letters of a filter.
func (l *Letters) Page(ctx context.Context, f Filter) (LetterPage, error) {
	page := LetterPage{Letters: []DeadLetter{}}
	limit := f.Limit
	if limit == 0 {
		limit = defaultPage
	}
	for one, err := range l.List(ctx, f) {
		if err != nil {
			return page, err
		}
		if len(page.Letters) == limit {
			page.Next = page.Letters[limit-1].cursor
			break
		}
		page.Letters = append(page.Letters, one)
	}
	return page, nil
}

// Find gives the dead letter whose id begins with a prefix, wrong uploads included. ErrNoLetter:
// there is none; ErrFilter: the prefix is too short, or several begin with it.
func (l *Letters) Find(ctx context.Context, id string) (DeadLetter, error) {
	if id == "" {
		return DeadLetter{}, fmt.Errorf("%w: no dead letter is named", ErrFilter)
	}
	page, err := l.Page(ctx, Filter{ID: id, WrongUploads: true, Limit: 2})
	switch {
	case err != nil:
		return DeadLetter{}, err
	case len(page.Letters) == 0:
		return DeadLetter{}, fmt.Errorf("find dead letter %s: %w", id, ErrNoLetter)
	case len(page.Letters) > 1:
		return DeadLetter{}, fmt.Errorf("%w: several ids begin with %s: use more digits", ErrFilter, id)
	}
	return page.Letters[0], nil
}
