package segment

import "strings"

// shape counts what a line is made of, in bytes.
type shape struct {
	blank   bool
	first   byte  // behind the indentation
	last    byte  // before blanks at the end
	indent  int32 // blanks at the start
	width   int32 // without blanks around
	letters int32 // bytes beyond ASCII, too
	foreign int32 // bytes beyond ASCII
	symbols int32 // what stands in program text more often than in talk
	digits  int32
	tabs    int32 // behind the indentation
	pipes   int32
	commas  int32
	tight   int32 // commas without a space behind them
	quotes  int32 // straight double quotes, and single ones
	stars   int32
}

func shapeOf(s string) shape {
	n, end := 0, len(s)
	for n < end && byteClass[s[n]]&isBlank != 0 {
		n++
	}
	for end > n && byteClass[s[end-1]]&isBlank != 0 {
		end--
	}
	if n == end {
		return shape{blank: true}
	}
	body := s[n:end]
	c := countBytes(body)
	h := shape{
		first: body[0], last: body[len(body)-1], indent: int32(n), width: int32(len(body)), letters: c[letterByte] + c[foreignByte], foreign: c[foreignByte],
		symbols: c[symbolByte], digits: c[digitByte], commas: c[commaByte], quotes: c[quoteByte], stars: c[starByte], tabs: c[tabByte],
	}
	if h.symbols > 0 {
		h.pipes = int32(strings.Count(body, "|"))
	}
	if h.commas >= 3 {
		for i := range len(body) - 1 {
			if body[i] == ',' && body[i+1] != ' ' {
				h.tight++
			}
		}
	}
	return h
}

// What a byte counts as: the place of its counter in a word of eight.
const (
	letterByte = iota
	foreignByte
	symbolByte
	digitByte
	tabByte
	commaByte
	quoteByte
	starByte
	countersInWord
)

// countBytes counts by kind. The eight counters of a byte each are added up in one word, which is
// emptied before any can run over.
func countBytes(s string) (count [countersInWord]int32) {
	for len(s) > 0 {
		part := s[:min(len(s), 255)]
		s = s[len(part):]
		var sum uint64
		for i := range len(part) {
			sum += counterOf[part[i]]
		}
		for i := range count {
			count[i] += int32(sum >> (8 * i) & 0xff)
		}
	}
	return count
}

var counterOf = func() (t [256]uint64) {
	set := func(c byte, counter int) { t[c] = 1 << (8 * counter) }
	for c := range t {
		switch k := byteClass[c]; {
		case c >= 0x80:
			set(byte(c), foreignByte)
		case k&isLetter != 0:
			set(byte(c), letterByte)
		case k&isDigit != 0:
			set(byte(c), digitByte)
		case k&isSymbol != 0:
			set(byte(c), symbolByte)
		}
	}
	set('\t', tabByte)
	set(',', commaByte)
	set('"', quoteByte)
	set('\'', quoteByte)
	set('*', starByte)
	return t
}()
