package gemini

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pamline/pamline/normalize"
)

// stamp is a time of a page.
type stamp struct {
	at   normalize.Instant
	zone string // as the page has it
	flag string // what is doubtful about the zone: one of the zone… constants, "" for nothing
}

const (
	zoneMissing   = "missing"   // there is none; the time is read as UTC
	zoneUnknown   = "unknown"   // nobody knows it; the time is read as UTC
	zoneAmbiguous = "ambiguous" // several zones have this name; the time is read as the one in the table
)

// maxStamp is how long a line with a time may be, in bytes.
const maxStamp = 120

var (
	clock      = regexp.MustCompile(`(?:^|[^0-9])([0-9]{1,2})[:.]([0-9]{2})[:.]([0-9]{2})(?:[^0-9]|$)`)
	offsetZone = regexp.MustCompile(`(?i)(?:GMT|UTC|UCT)\s?([+-])([0-9]{1,2})(?::?([0-9]{2}))?`)
	bareOffset = regexp.MustCompile(`^([+-])([0-9]{1,2})(?::?([0-9]{2}))?$`)
	zoneName   = regexp.MustCompile(`^[A-Za-z]{2,6}$`)
	datePieces = regexp.MustCompile(`[0-9]+|[^0-9\s,./،-]+(?:\.[^0-9\s,./،-]+)*`)
)

// plain undoes what locales write their own way: spaces, digits, marks of direction, the minus
// sign.
var plain = func() *strings.Replacer {
	pairs := []string{
		"\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u200e", "", "\u200f", "", "\u061c", "", "\u2212", "-",
		"a. m.", "a.m.", "p. m.", "p.m.", "π. μ.", "π.μ.", "μ. μ.", "μ.μ.", "年", " ", "月", " ", "日", " ", "년", " ", "월", " ", "일", " ",
	}
	for i := range 10 {
		pairs = append(pairs, string(rune(0x660+i)), strconv.Itoa(i), string(rune(0x6f0+i)), strconv.Itoa(i))
	}
	return strings.NewReplacer(pairs...)
}()

// parseStamp reads a line that is a date with a time and nothing else, in any of the locales that
// are known.
func parseStamp(line string) (stamp, bool) {
	if len(line) > maxStamp || !strings.ContainsAny(line, "0123456789٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹") {
		return stamp{}, false
	}
	s := strings.TrimSpace(plain.Replace(line))
	p := stampParser{china: strings.Contains(line, "年")}
	m := clock.FindAllStringSubmatchIndex(s, -1)
	if m == nil {
		return stamp{}, false
	}
	at := m[len(m)-1]
	p.hour, p.minute, p.second = number(s[at[2]:at[3]]), number(s[at[4]:at[5]]), number(s[at[6]:at[7]])
	if !p.tail(s[at[7]:]) || !p.date(s[:at[2]]) {
		return stamp{}, false
	}
	return p.stamp()
}

type stampParser struct {
	year, month, day     int
	hour, minute, second int
	half                 string
	zoned                bool
	zone                 string
	offset               int
	flag                 string
	china                bool
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// tail reads what stands behind the time: the half of the day and the zone.
func (p *stampParser) tail(s string) bool {
	if at := offsetZone.FindStringSubmatchIndex(s); at != nil && p.shift(s[at[0]:at[1]], s[at[2]:at[3]], s[at[4]:at[5]], group(s, at, 3)) {
		s = s[:at[0]] + " " + s[at[1]:]
	}
	for _, word := range strings.Fields(s) {
		if word = strings.Trim(word, ",()"); word == "" {
			continue
		}
		if !p.isHalf(word) && !p.isZone(word) {
			return false
		}
	}
	return true
}

func group(s string, at []int, n int) string {
	if at[2*n] < 0 {
		return ""
	}
	return s[at[2*n]:at[2*n+1]]
}

func (p *stampParser) isHalf(word string) bool {
	if _, ok := halves[strings.ToLower(word)]; !ok || p.half != "" {
		return false
	}
	p.half = strings.ToLower(word)
	return true
}

func (p *stampParser) isZone(word string) bool {
	if p.zoned {
		return false
	}
	if m := bareOffset.FindStringSubmatch(word); m != nil {
		return p.shift(word, m[1], m[2], m[3])
	}
	if !zoneName.MatchString(word) {
		return false
	}
	p.zoned, p.zone = true, word
	z, known := zones[strings.ToUpper(word)]
	switch {
	case !known:
		p.flag = zoneUnknown
		return true
	case p.china && strings.EqualFold(word, "CST"):
		z = chinaTime
	}
	if z.ambiguous {
		p.flag = zoneAmbiguous
	}
	p.offset = z.minutes
	return true
}

// shift is a zone that is an offset.
func (p *stampParser) shift(text, sign, hours, minutes string) bool {
	h, m := number(hours), 0
	if minutes != "" {
		m = number(minutes)
	}
	if p.zoned || h > 15 || m > 59 {
		return false
	}
	p.zoned, p.zone, p.offset = true, text, h*60+m
	if sign == "-" {
		p.offset = -p.offset
	}
	return true
}

// date reads what stands before the time.
func (p *stampParser) date(s string) bool {
	if at := offsetZone.FindStringSubmatchIndex(s); at != nil && p.shift(s[at[0]:at[1]], s[at[2]:at[3]], s[at[4]:at[5]], group(s, at, 3)) {
		s = s[:at[0]] + " " + s[at[1]:]
	}
	var numbers []string
	for _, word := range datePieces.FindAllString(s, -1) {
		lower := strings.ToLower(strings.TrimRight(word, "."))
		switch {
		case word[0] >= '0' && word[0] <= '9':
			numbers = append(numbers, word)
		case p.month == 0 && months[lower] > 0:
			p.month = months[lower]
		case fillers[lower]:
		case p.isHalf(lower):
		default:
			return false
		}
	}
	return p.order(numbers)
}

// order tells day, month and year apart: the year has four digits and stands first or last.
func (p *stampParser) order(n []string) bool {
	named := p.month > 0
	if named && len(n) != 2 || !named && len(n) != 3 {
		return false
	}
	for _, s := range n {
		if len(s) != 4 && len(s) > 2 {
			return false
		}
	}
	last := len(n) - 1
	switch {
	case len(n[0]) == 4:
		p.year, p.day = number(n[0]), number(n[last])
	case len(n[last]) == 4:
		p.day, p.year = number(n[0]), number(n[last])
	default:
		return false
	}
	if !named {
		p.month = number(n[1])
		if p.month > 12 && len(n[last]) == 4 {
			p.month, p.day = p.day, p.month
		}
	}
	return true
}

// The years in which somebody can have spoken to an assistant.
const (
	firstYear = 2000
	lastYear  = 2100
)

func (p *stampParser) stamp() (stamp, bool) {
	if p.half != "" {
		if p.hour < 1 || p.hour > 12 {
			return stamp{}, false
		}
		p.hour %= 12
		if halves[p.half] {
			p.hour += 12
		}
	}
	if p.year < firstYear || p.year > lastYear || p.month < 1 || p.month > 12 || p.hour > 23 || p.minute > 59 || p.second > 60 {
		return stamp{}, false
	}
	t := time.Date(p.year, time.Month(p.month), p.day, p.hour, p.minute, p.second, 0, time.UTC)
	if p.day < 1 || t.Day() != p.day && p.hour < 23 {
		return stamp{}, false
	}
	if !p.zoned {
		p.flag = zoneMissing
	}
	return stamp{at: normalize.Instant{Sec: t.Unix() - int64(p.offset)*60}, zone: p.zone, flag: p.flag}, true
}
