package copilot

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pamline/pamline/normalize"
)

// order is that of day and month in a date of numbers.
type order uint8

const (
	fixed      order = iota // the date can be read in one way only, year first
	either                  // neither of the two is above 12
	dayFirst                // 17/02/2026, 02.03.2026
	monthFirst              // 2/17/2026
)

// orderNames are the names of orders in a unit; either stands for a file in which nothing decides.
var orderNames = map[order]string{either: "assumed-month-first", dayFirst: "day-first", monthFirst: "month-first"}

// moment is a time as a row has it.
type moment struct {
	at      normalize.Instant
	order   order // what its date shows
	zoned   bool  // it says which zone it is in
	dayOnly bool  // it has no time of day, and stands for midnight
}

var numbers = regexp.MustCompile(`^(\d{1,4})([/.\-])(\d{1,2})([/.\-])(\d{1,4})` +
	`(?:,?[ T]+(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,](\d{1,9}))?)?(?: ?([AaPp])\.?[Mm]\.?)?(?: ?([Zz]|UTC|GMT|[+-]\d{2}:?\d{2}))?)?$`)

// blanks are the spaces that programs write into times, and marks of the direction of text.
var blanks = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u200e", "", "\u200f", "")

// maxMoment bounds the text of a time, in bytes.
const maxMoment = 64

// readMoment reads ISO 8601 and dates of numbers with a time of 12 or 24 hours. Where the date does
// not say which number is the month, prefer decides: dayFirst or monthFirst.
func readMoment(text string, prefer order) (moment, bool) {
	s := strings.TrimSpace(blanks.Replace(text))
	if len(s) > maxMoment {
		return moment{}, false
	}
	if t, ok := normalize.ISOInstant(s); ok {
		return moment{at: t, zoned: strings.ContainsAny(s[10:], "Zz+-")}, true
	}
	g := numbers.FindStringSubmatch(s)
	if g == nil || g[2] != g[4] {
		return moment{}, false
	}
	var m moment
	year, month, day, ok := date(g[1], g[3], g[5], g[2], prefer, &m.order)
	if !ok {
		return moment{}, false
	}
	hour, minute, second := number(g[6]), number(g[7]), number(g[8])
	m.dayOnly = g[6] == ""
	if half := strings.ToLower(g[10]); half != "" {
		if hour < 1 || hour > 12 {
			return moment{}, false
		}
		hour %= 12
		if half == "p" {
			hour += 12
		}
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	if t.Year() != year || int(t.Month()) != month || t.Day() != day || t.Hour() != hour || t.Minute() != minute || t.Second() != second {
		return moment{}, false // 31 February, 25:61
	}
	m.at.Sec = t.Unix()
	if f := g[9]; f != "" {
		m.at.Micro = int32(number((f + "00000")[:6]))
	}
	if zone := g[11]; zone != "" {
		m.zoned = true
		m.at.Sec -= offset(zone)
	}
	return m, m.at.Sec > 0
}

// date puts the three numbers of a date in order and says what they show.
func date(a, b, c, separator string, prefer order, shown *order) (year, month, day int, ok bool) {
	x, y, z := number(a), number(b), number(c)
	switch {
	case len(a) == 4 && len(c) <= 2:
		return x, y, z, true
	case len(a) > 2 || len(c) != 4 && len(c) != 2:
		return 0, 0, 0, false
	}
	if len(c) == 2 {
		z += 2000
	}
	switch {
	case x > 12 || separator == ".": // nobody writes the month first with points
		*shown = dayFirst
	case y > 12:
		*shown = monthFirst
	default:
		*shown = either
	}
	if *shown == dayFirst || *shown == either && prefer == dayFirst {
		return z, y, x, true
	}
	return z, x, y, true
}

// offset gives the seconds that a zone is ahead of UTC.
func offset(zone string) int64 {
	if len(zone) < 5 {
		return 0 // Z, UTC, GMT
	}
	digits := strings.ReplaceAll(zone[1:], ":", "")
	seconds := int64(number(digits[:2])*3600 + number(digits[2:])*60)
	if zone[0] == '-' {
		return -seconds
	}
	return seconds
}

// number reads digits; the pattern has bounded them, and "" is 0.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
