package replay

import (
	"context"
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
