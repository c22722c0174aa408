package web

import (
	"net/url"
	"slices"
	"strconv"
	"time"
)

// pageSize is how many elements a list shows at once.
const pageSize = 50

// paging is a part of a list.
type paging struct {
	Total, From, To int
	Before, After   string // addresses of the neighboring pages, "" for none
	Query           url.Values
}

// pageOf finds the part of a list that a request asks for.
func pageOf(v *visit, total int) (paging, error) { return pageAt(v, total, 0, pageSize) }

// pageAt finds a part of a list in parts of a size: that of a number or, if it is 0, the one that
// the request names.
func pageAt(v *visit, total, n, size int) (paging, error) {
	q := v.URL.Query()
	q.Del("message")
	q.Del("mark")
	text := q.Get("page")
	if n > 0 {
		text = ""
	}
	if n = max(n, 1); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < 1 || n > 1<<20 {
			return paging{}, notFoundError{errRange.Error()}
		}
	}
	p := paging{Total: total, From: min(total, (n-1)*size), To: min(total, n*size), Query: q}
	if n > 1 {
		p.Before = withQuery(q, "page", strconv.Itoa(n-1))
	}
	if p.To < total {
		p.After = withQuery(q, "page", strconv.Itoa(n+1))
	}
	return p, nil
}

// First is the number of the first element that is shown.
func (p paging) First() int { return min(p.From+1, p.Total) }

// bounds read the dates of a form: whole days, months or years.
func bounds(v *visit) (since, until int64, err error) {
	if since, _, err = dayBounds(v.URL.Query().Get("since")); err != nil {
		return 0, 0, err
	}
	_, until, err = dayBounds(v.URL.Query().Get("until"))
	return since, until, err
}

// dayBounds are the start and the end of a day, month or year in Unix seconds, 0 for "".
func dayBounds(text string) (start, end int64, err error) {
	if text == "" {
		return 0, 0, nil
	}
	for _, form := range []struct {
		layout              string
		years, months, days int
	}{{time.DateOnly, 0, 0, 1}, {"2006-01", 0, 1, 0}, {"2006", 1, 0, 0}} {
		if t, err := time.Parse(form.layout, text); err == nil {
			return t.Unix(), t.AddDate(form.years, form.months, form.days).Unix(), nil
		}
	}
	return 0, 0, wrongError{"A date looks like 2024-03-05, 2024-03 or 2024."}
}

// isWithin tells whether a time is within bounds. An unknown time is in no bounds.
func isWithin(at, since, until int64) bool {
	return since == 0 && until == 0 || at != 0 && at >= since && (until == 0 || at < until)
}

// option is a choice of a filter.
type option struct {
	Value, Name string
	Count       int
	Chosen      bool
}

// optionsOf counts the values of a list for a filter, the most frequent first.
func optionsOf[T any](list []T, name func(string) string, values func(*T) []string) (all []option) {
	counts := map[string]int{}
	for i := range list {
		for _, value := range values(&list[i]) {
			counts[value]++
		}
	}
	for value, n := range counts {
		if value != "" {
			all = append(all, option{Value: value, Name: name(value), Count: n})
		}
	}
	slices.SortFunc(all, func(a, b option) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		if a.Value < b.Value {
			return -1
		}
		return 1
	})
	return all
}

// choose marks the chosen one of some options.
func choose(all []option, chosen string) []option {
	all = slices.Clone(all)
	for i := range all {
		all[i].Chosen = all[i].Value == chosen
	}
	return all
}

func asIs(text string) string { return text }
