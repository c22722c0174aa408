package pamio

import (
	"fmt"
	"time"
)

// FormatTime is the output form of a time: RFC 3339 in UTC with "Z" and no fraction of a second, or
// exactly six digits of it. Finer digits are cut off. The year must lie in 0–9999.
func FormatTime(t time.Time) string {
	t = t.UTC()
	if t.Nanosecond() < 1000 {
		return t.Format("2006-01-02T15:04:05Z")
	}
	return t.Truncate(time.Microsecond).Format("2006-01-02T15:04:05.000000Z")
}

// ParseTime reads an RFC 3339 date-time with any offset and any number of fraction digits, beyond
// nine of them cut off. A leap second (":60") is clamped to ":59" of the same minute, with its
// fraction.
func ParseTime(s string) (time.Time, error) {
	t, ok := parseTime(s)
	if !ok {
		return time.Time{}, fmt.Errorf("parse time: not an RFC 3339 date-time with an offset, such as 2026-01-31T23:59:59Z")
	}
	return t, nil
}

func parseTime(s string) (time.Time, bool) {
	c, ok := parseClock(s)
	if !ok {
		return time.Time{}, false
	}
	nanos, rest, ok := fraction(s[19:])
	if !ok {
		return time.Time{}, false
	}
	offset, ok := parseOffset(rest)
	if !ok {
		return time.Time{}, false
	}
	return time.Date(c.year, time.Month(c.month), c.day, c.hour, c.minute, min(c.second, 59), nanos, time.UTC).Add(-offset), true
}

// clock is a date and a time of day; second may be 60.
type clock struct{ year, month, day, hour, minute, second int }

// parseClock reads the first 19 characters of a time that has an offset behind them.
func parseClock(s string) (c clock, ok bool) {
	if len(s) < len("2006-01-02T15:04:05Z") || s[4] != '-' || s[7] != '-' || s[10]|0x20 != 't' || s[13] != ':' || s[16] != ':' {
		return clock{}, false
	}
	var ok1, ok2, ok3, ok4, ok5, ok6 bool
	c.year, ok1 = digits(s[0:4])
	c.month, ok2 = digits(s[5:7])
	c.day, ok3 = digits(s[8:10])
	c.hour, ok4 = digits(s[11:13])
	c.minute, ok5 = digits(s[14:16])
	c.second, ok6 = digits(s[17:19])
	ok = ok1 && ok2 && ok3 && ok4 && ok5 && ok6
	return c, ok && c.hour <= 23 && c.minute <= 59 && c.second <= 60 && isDay(c.year, c.month, c.day)
}

// fraction reads "." and digits, if they are there.
func fraction(s string) (nanos int, rest string, ok bool) {
	if s[0] != '.' {
		return 0, s, true
	}
	i, unit := 1, 100_000_000
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		nanos += int(s[i]-'0') * unit
		unit /= 10
	}
	return nanos, s[i:], i > 1
}

func parseOffset(s string) (time.Duration, bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != len("+00:00") || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, false
	}
	hours, ok1 := digits(s[1:3])
	minutes, ok2 := digits(s[4:6])
	if !ok1 || !ok2 || hours > 23 || minutes > 59 {
		return 0, false
	}
	d := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if s[0] == '-' {
		d = -d
	}
	return d, true
}

func digits(s string) (n int, ok bool) {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

func isDay(year, month, day int) bool {
	if month < 1 || month > 12 || day < 1 {
		return false
	}
	// Day 0 of the next month is the last day of this one.
	return day <= 28 || day <= time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// isOutputTime tells whether s is exactly what FormatTime would write.
func isOutputTime(s string) bool {
	if len(s) == len("2006-01-02T15:04:05.000000Z") {
		if s[19] != '.' || s[20:26] == "000000" {
			return false
		}
		if _, ok := digits(s[20:26]); !ok {
			return false
		}
	} else if len(s) != len("2006-01-02T15:04:05Z") {
		return false
	}
	if s[len(s)-1] != 'Z' || s[10] != 'T' || s[17] == '6' || s[:4] == "0000" {
		return false
	}
	_, ok := parseClock(s)
	return ok
}
