package pipeline

import "context"

// LetterPage is a part of a list of letters.
type LetterPage struct {
	Letters []Letter `json:"letters"`
	// Next is the filter's After for the part behind it; 0: there is none.
	Next uint64 `json:"next,omitempty"`
	// UpTo is the filter's for all parts, so that letters which come meanwhile are not among them.
	UpTo uint64 `json:"up_to,omitempty"`
}

// RedrivenPage is what became of a part of a list of letters.
type RedrivenPage struct {
	Redriven []Redriven `json:"redriven"`
	Next     uint64     `json:"next,omitempty"`
	UpTo     uint64     `json:"up_to,omitempty"`
}

// letterPage is how many letters there are on a page.
const letterPage = 100

// Page gives the first letters that a filter chooses.
func (l *Letters) Page(ctx context.Context, f LetterFilter) (LetterPage, error) {
	page := LetterPage{Letters: []Letter{}, UpTo: f.UpTo}
	if page.UpTo == 0 {
		last, err := l.last(ctx)
		if err != nil || last == 0 {
			return page, err
		}
		page.UpTo, f.UpTo = last, last
	}
	for one, err := range l.List(ctx, f) {
		if err != nil {
			return page, err
		}
		if len(page.Letters) == letterPage {
			page.Next = page.Letters[letterPage-1].Seq
			break
		}
		page.Letters = append(page.Letters, one)
	}
	return page, nil
}

// RedrivePage redrives the first letters that a filter chooses. With an error it tells which were redriven before.
func (l *Letters) RedrivePage(ctx context.Context, f LetterFilter) (RedrivenPage, error) {
	page, err := l.Page(ctx, f)
	out := RedrivenPage{Redriven: []Redriven{}, Next: page.Next, UpTo: page.UpTo}
	for _, one := range page.Letters {
		if err != nil {
			break
		}
		var r Redriven
		if r, err = l.Redrive(ctx, one); err == nil {
			out.Redriven = append(out.Redriven, r)
		}
	}
	return out, err
}

// last is the place of the last letter.
func (l *Letters) last(ctx context.Context) (uint64, error) {
	s, err := l.js.Stream(ctx, StreamDLQ)
	if err != nil {
		return 0, asOutage(err)
	}
	if s.CachedInfo().State.Msgs == 0 {
		return 0, nil
	}
	return s.CachedInfo().State.LastSeq, nil
}
