package assemble

import "strings"

// when is a time that compares as text: "" when it is not known, which is earlier than all. What a
// person did by hand comes right after what was observed at the same time. The time of an archive
// that a record stood in is earlier than all times at which something is known to have been said;
// among each other such times compare as others do.
type when string

// asOfDigits stand for the first digit of the time of an archive.
var asOfDigits = map[byte]byte{'0': ' ', '1': '!', '2': '"', ' ': '0', '!': '1', '"': '2'}

// asOf is the time of an archive.
func (w when) asOf() when {
	if w == "" || w.isAsOf() || asOfDigits[w[0]] == 0 {
		return w
	}
	return when(asOfDigits[w[0]]) + w[1:]
}

// isAsOf tells whether it is the time of an archive.
func (w when) isAsOf() bool { return w != "" && w[0] < '0' }

// known is the time itself, whatever it is the time of.
func (w when) known() when {
	if w.isAsOf() {
		return when(asOfDigits[w[0]]) + w[1:]
	}
	return w
}

const whenSize = 28

// observed is the time of evidence; t has the output form, or is "".
func observed(t string) when {
	if t == "" {
		return ""
	}
	return when(timeKey(t) + "0")
}

// byHand is the time of an edit.
func byHand(t string) when { return when(timeKey(t) + "1") }

// time is the output form; "" for an unknown one.
func (w when) time() string {
	if w == "" {
		return ""
	}
	return strings.Replace(string(w.known()[:whenSize-1]), ".000000Z", "Z", 1)
}

// ascending is a sort key of fixed length, unknown times first.
func (w when) ascending(dst []byte) []byte {
	dst = append(dst, w...)
	for range whenSize - len(w) {
		dst = append(dst, 0)
	}
	return dst
}

// descending is a sort key of fixed length, unknown times last.
func (w when) descending(dst []byte) []byte {
	start := len(dst)
	dst = w.ascending(dst)
	for i := start; i < len(dst); i++ {
		dst[i] = ^dst[i]
	}
	return dst
}

// earliest puts known times in order and unknown ones last.
func (w when) earliest(dst []byte) []byte {
	if w == "" {
		return append(dst, strings.Repeat("\xFF", whenSize)...)
	}
	return w.known().ascending(dst)
}

// first is the earlier of two times of which the known one counts, and one at which something was
// said before that of an archive.
func first(a, b when) when {
	if a == "" || b != "" && (b < a && b.isAsOf() == a.isAsOf() || a.isAsOf() && !b.isAsOf()) {
		return b
	}
	return a
}
