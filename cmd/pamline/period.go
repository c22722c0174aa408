package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/pamio"
)

// period are the flags of commands that choose by time and provider.
type period struct {
	Since    string `placeholder:"DATE" help:"From this date on: 2025, 2025-03, 2025-03-31, a time, or an age such as 30d, 6m or 2y."`
	Until    string `placeholder:"DATE" help:"Up to and including this date, or up to an age."`
	Provider string `placeholder:"NAME" help:"Only from this provider, for example chatgpt."`
}

// bounds are the times of the flags in Unix seconds; 0 is no bound. The end is excluded.
func (p period) bounds(now time.Time) (since, until int64, err error) {
	if p.Since != "" {
		begin, _, err := dateRange(p.Since, now)
		if err != nil {
			return 0, 0, exit.With(exit.Usage, fmt.Errorf("read --since: %w", err))
		}
		since = begin.Unix()
	}
	if p.Until != "" {
		_, end, err := dateRange(p.Until, now)
		if err != nil {
			return 0, 0, exit.With(exit.Usage, fmt.Errorf("read --until: %w", err))
		}
		until = end.Unix()
	}
	if since != 0 && until != 0 && since >= until {
		return 0, 0, exit.With(exit.Usage, fmt.Errorf("read --until: %s is before %s", p.Until, p.Since))
	}
	return since, until, nil
}

// dateForms are the forms of a date, with how long each lasts.
var dateForms = []struct {
	layout              string
	years, months, days int
}{
	{"2006", 1, 0, 0}, {"2006-01", 0, 1, 0}, {"2006-01-02", 0, 0, 1},
}

// dateRange is the begin of what a date names, and the end, which is excluded. Dates are in UTC, as
// in the store.
func dateRange(text string, now time.Time) (begin, end time.Time, err error) {
	for _, f := range dateForms {
		if begin, err := time.Parse(f.layout, text); err == nil {
			return begin, begin.AddDate(f.years, f.months, f.days), nil
		}
	}
	if begin, err := time.Parse(time.RFC3339, text); err == nil {
		return begin, begin.Add(time.Second), nil
	}
	if begin, ok := ageTime(text, now); ok {
		return begin, begin, nil
	}
	return begin, end, fmt.Errorf("%q is no date: use 2025, 2025-03, 2025-03-31, 2025-03-31T18:00:00Z, or an age such as 30d, 6m or 2y", text)
}

// ageTime is the time of an age in days, weeks, months or years.
func ageTime(text string, now time.Time) (time.Time, bool) {
	if len(text) < 2 {
		return now, false
	}
	n, err := strconv.Atoi(text[:len(text)-1])
	if err != nil || n < 0 || n > 10000 || strings.HasPrefix(text, "+") {
		return now, false
	}
	now = now.UTC()
	switch text[len(text)-1] {
	case 'd':
		return now.AddDate(0, 0, -n), true
	case 'w':
		return now.AddDate(0, 0, -7*n), true
	case 'm':
		return now.AddDate(0, -n, 0), true
	case 'y':
		return now.AddDate(-n, 0, 0), true
	}
	return now, false
}

// withinBounds tells whether a time of a document is within bounds; an unknown time is in none.
func withinBounds(at string, since, until int64) bool {
	if since == 0 && until == 0 {
		return true
	}
	t, err := pamio.ParseTime(at)
	if err != nil || t.Unix() == 0 {
		return false
	}
	return t.Unix() >= since && (until == 0 || t.Unix() < until)
}
