package rules

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// timeSpec is what time words name, seen from when they are said.
//
//	-1 day, +n k      so many units away; n and k are the captures of the number and of the unit
//	month k, month k y, day n k, day n k y, year n, decade n
//	month~ k, day~ n k                             the nearest one, past or to come
//	weekday k         the last one of that name; weekday+ k the next, weekday= k today or next
//	some              a time that cannot be told
//	span n y          from the year n, or its month k, up to the year y, or its month j
type timeSpec struct {
	kind     string // "away", "month", "day", "year", "decade", "weekday", "weekday+", "weekday=", "some"
	sign     int
	number   int    // 0: the capture n
	unit     string // "": the capture k
	withYear bool
	nearest  bool // of those of the name in several years
	since    bool
	lasting  bool // only with one of the words that say that something lasts
	until    bool // what is told holds until then, so that the time is still to come
}

// The precision of a moment.
const (
	byDay = iota
	byWeek
	byMonth
	byYear
)

var precisions = map[string]int{"day": byDay, "week": byWeek, "month": byMonth, "year": byYear}

func newTimeSpec(rule *timeRule) (*timeSpec, error) {
	f := strings.Fields(rule.At)
	bad := fmt.Errorf("at %q is unknown", rule.At)
	s := &timeSpec{since: rule.Since, lasting: rule.Lasting, until: rule.Until}
	if rule.At == "some" {
		s.kind = rule.At
		return s, nil
	}
	if len(f) < 2 {
		return nil, bad
	}
	switch c := f[0][0]; {
	case c == '-' || c == '+' || c == '0':
		s.kind, s.sign = "away", 1
		if c == '-' {
			s.sign = -1
		}
		if n := strings.TrimLeft(f[0], "+-"); n != "n" {
			v, err := strconv.Atoi(n)
			if err != nil {
				return nil, bad
			}
			if s.number = v; v == 0 {
				s.sign = 0
			}
		}
		if s.unit = f[1]; s.unit == "k" {
			s.unit = ""
		} else if _, ok := precisions[s.unit]; !ok {
			return nil, bad
		}
	case f[0] == "month~" || f[0] == "day~":
		s.kind, s.nearest = strings.TrimSuffix(f[0], "~"), true
	case strings.Contains("month day year decade weekday weekday+ weekday= span", f[0]):
		s.kind, s.withYear = f[0], f[len(f)-1] == "y"
	default:
		return nil, bad
	}
	return s, nil
}

// halfYear is how far away the nearest day of a name is at most.
const halfYear = 183 * 24 * time.Hour

// moment is a time that words of a sentence name: from its beginning up to its end.
type moment struct {
	from, to   time.Time
	precision  int
	since      bool
	relative   bool // it cannot be understood without the time of the message
	start, end int  // tokens
	// until is when what is told ended, if the words tell a beginning and an end.
	until time.Time
	// ahead and aheadTo are the same when what is told is still to come: "in August".
	ahead, aheadTo time.Time
	// upcoming: the words before the time say that it is still to come, whatever the verb.
	upcoming bool
	// ending: what is told holds until the moment.
	ending bool
	// yearless: it has the name of a day or a month, and no year. bare: that of a weekday, and
	// nothing that tells which. recurs: it comes again and again.
	yearless, bare, recurs bool
	// counted: it is a number of units away, still to come.
	counted bool
}

// moment resolves the words at a time. ahead tells that what is not said to be past is to come.
func (s *timeSpec) moment(said time.Time, n int, k string, y int, ahead bool) (m moment, ok bool) {
	m.since, m.relative, m.ending = s.since, true, s.until
	ahead = ahead || s.until
	day := time.Date(said.Year(), said.Month(), said.Day(), 0, 0, 0, 0, time.UTC)
	switch s.kind {
	case "away":
		unit := s.unit
		if unit == "" {
			unit = k
		}
		p, known := precisions[unit]
		if s.number > 0 || s.sign == 0 {
			n = s.number
		}
		if !known || n < 0 || n > 200 || n == 0 && s.sign != 0 {
			return m, false
		}
		m.precision = p
		switch p {
		case byDay:
			m.from = day.AddDate(0, 0, s.sign*n)
		case byWeek:
			m.from = day.AddDate(0, 0, -(int(day.Weekday())+6)%7+7*s.sign*n)
		case byMonth:
			m.from = time.Date(day.Year(), day.Month()+time.Month(s.sign*n), 1, 0, 0, 0, 0, time.UTC)
		case byYear:
			m.from = time.Date(day.Year()+s.sign*n, 1, 1, 0, 0, 0, 0, time.UTC)
		}
	case "month", "day":
		month, err := strconv.Atoi(k)
		if err != nil || month < 1 || month > 12 {
			return m, false
		}
		d := 1
		if m.precision = byMonth; s.kind == "day" {
			if d, m.precision = n, byDay; n < 1 || n > 31 {
				return m, false
			}
		}
		m.relative = !s.withYear
		year := y
		if s.withYear && (y < 1900 || y > 2100) {
			return m, false
		}
		if !s.withYear {
			year = day.Year()
			switch at := time.Date(year, time.Month(month), d, 0, 0, 0, 0, time.UTC); {
			case s.nearest && at.Sub(day) > halfYear:
				year--
			case s.nearest && day.Sub(at) > halfYear:
				year++
			case s.nearest:
			case ahead && (at.Before(day) && (s.kind == "day" || month < int(day.Month()))):
				year++
			case !ahead && at.After(day):
				year--
			}
		}
		m.from = time.Date(year, time.Month(month), d, 0, 0, 0, 0, time.UTC)
	case "year", "decade":
		if n < 1900 || n > 2100 {
			return m, false
		}
		m.relative, m.precision = false, byYear
		m.from = time.Date(n, 1, 1, 0, 0, 0, 0, time.UTC)
	case "some":
		return m, true
	case "weekday", "weekday+", "weekday=":
		w, err := strconv.Atoi(k)
		if err != nil || w < 0 || w > 7 {
			return m, false
		}
		m.precision = byDay
		back := (int(day.Weekday()) - w%7 + 7) % 7
		if back == 0 {
			back = 7
		}
		m.from = day.AddDate(0, 0, -back)
		switch {
		case s.kind == "weekday+": // "next Wednesday" is not today
			m.from = day.AddDate(0, 0, 7-back%7)
		case ahead || s.kind == "weekday=": // "this Wednesday" may be
			m.from = day.AddDate(0, 0, 7-back)
		}
	}
	m.close()
	return m, true
}

// close sets where the moment ends.
func (m *moment) close() {
	if !m.until.IsZero() {
		m.to = m.until
		return
	}
	switch m.precision {
	case byDay:
		m.to = m.from.AddDate(0, 0, 1)
	case byWeek:
		m.to = m.from.AddDate(0, 0, 7)
	case byMonth:
		m.to = m.from.AddDate(0, 1, 0)
	case byYear:
		m.to = m.from.AddDate(1, 0, 0)
	}
}

// event is the moment as an event time.
func (m *moment) event() string {
	switch m.precision {
	case byDay:
		return m.from.Format(time.DateOnly)
	case byWeek:
		return m.month().Format("2006-01")
	case byMonth:
		return m.from.Format("2006-01")
	}
	return m.from.Format("2006")
}

// month is a day of the month that the moment lies in: a week is of the month of its Thursday.
func (m *moment) month() time.Time {
	if m.precision == byWeek {
		return m.from.AddDate(0, 0, 3)
	}
	return m.from
}

// text is the moment as it is written in a content.
func (w *written) text(m *moment) string {
	form := w.Year
	switch {
	case m.precision == byYear && m.since:
		form = w.SinceYear
	case m.precision == byDay && m.since:
		form = w.SinceDay
	case m.precision == byDay:
		form = w.Day
	case m.precision == byMonth && m.ending && w.UntilMonth != "":
		form = w.UntilMonth
	case m.precision <= byMonth && m.since:
		form = w.SinceMonth
	case m.precision <= byMonth:
		form = w.Month
	}
	of := m.month()
	return strings.NewReplacer("{day}", strconv.Itoa(m.from.Day()), "{month}", w.Months[of.Month()-1], "{year}", strconv.Itoa(of.Year())).Replace(form)
}
