package validate

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// fits tells that a value surely fits. A value that does not may fit all the same.
func (r *rule) fits(n jsonscan.Node) bool {
	k := n.Kind()
	if r.opaque || n.Odd() || r.kinds&(1<<k) == 0 {
		return false
	}
	if r.allowed != nil && !(k == jsonscan.Null && r.null) {
		if k != jsonscan.String {
			return false
		}
		if !r.allows(plain(n)) {
			return false
		}
	}
	ok := true
	switch k {
	case jsonscan.String:
		ok = r.fitsText(n)
	case jsonscan.Number:
		ok = r.fitsNumber(n)
	case jsonscan.Array:
		ok = r.fitsArray(n)
	case jsonscan.Object:
		ok = r.fitsObject(n)
	}
	if !ok || r.cond == nil {
		return ok
	}
	// A condition that does not surely hold may hold: both ways must be fine, then.
	if r.cond.when.fits(n) {
		return r.cond.then.fits(n)
	}
	return r.cond.otherwise.fits(n) && r.cond.when.surelyNot(n)
}

// surelyNot tells that a value of a rule that only asks for members with fixed values does not fit,
// because one of these is there and another text. It is what conditions are made of.
func (r *rule) surelyNot(n jsonscan.Node) bool {
	if r.opaque || n.Kind() != jsonscan.Object {
		return false
	}
	for i := range r.list {
		f := &r.list[i]
		v := n.Get(f.key)
		switch {
		case !v.Exists():
			if f.bit&r.required != 0 {
				return true
			}
		case f.rule.allowed != nil && v.Kind() == jsonscan.String && !f.rule.allows(plain(v)):
			return true
		case f.rule.kinds&(1<<v.Kind()) == 0:
			return true
		}
	}
	return false
}

func (r *rule) allows(text []byte) bool {
	for _, a := range r.allowed {
		if a == string(text) {
			return true
		}
	}
	return false
}

// plain is the text of a string without a copy where that is possible.
func plain(n jsonscan.Node) []byte {
	if n.Flags()&jsonscan.Escaped != 0 {
		return []byte(n.Str())
	}
	raw := n.Raw()
	return raw[1 : len(raw)-1]
}

func (r *rule) fitsText(n jsonscan.Node) bool {
	if r.pattern == nil && r.minRunes == 0 && r.maxRunes < 0 {
		return true
	}
	s := plain(n)
	if r.pattern != nil && !r.matches(s) {
		return false
	}
	if r.maxRunes < 0 && r.minRunes <= 1 {
		return len(s) >= r.minRunes
	}
	runes := utf8.RuneCount(s)
	return runes >= r.minRunes && (r.maxRunes < 0 || runes <= r.maxRunes)
}

func (r *rule) matches(s []byte) bool {
	if r.run != nil {
		return r.run.match(s)
	}
	if r.table != nil {
		if matches, known := r.table.match(s); known {
			return matches
		}
	}
	return r.pattern.Match(s)
}

func (r *rule) fitsNumber(n jsonscan.Node) bool {
	if raw := n.Raw(); !r.integer && len(raw) <= 20 && raw[0] == '0' && (r.least == nil || *r.least <= 0) && (r.most == nil || *r.most >= 1) &&
		bytes.IndexByte(raw, 'e') < 0 && bytes.IndexByte(raw, 'E') < 0 {
		return true // between 0 and 1, as confidences are
	}
	f, err := strconv.ParseFloat(string(n.Raw()), 64)
	return err == nil && (!r.integer || f == math.Trunc(f)) && (r.least == nil || f >= *r.least) && (r.most == nil || f <= *r.most)
}

// manyItems is the number of items up to which they are compared pairwise.
const manyItems = 32

func (r *rule) fitsArray(n jsonscan.Node) bool {
	var seen [manyItems][]byte
	count := 0
	for v := range n.Items() {
		if r.items != nil && !r.items.fits(v) {
			return false
		}
		if r.unique {
			if count == manyItems || v.Kind() != jsonscan.String {
				return false
			}
			text := plain(v)
			for _, s := range seen[:count] {
				if string(s) == string(text) {
					return false
				}
			}
			seen[count] = text
		}
		count++
	}
	return count >= r.minItems
}

func (r *rule) fitsObject(n jsonscan.Node) bool {
	if r.probe {
		return r.fitsFew(n)
	}
	seen := uint64(0)
	for key, v := range n.Fields() {
		f, ok := r.members.get(plain(key))
		if !ok {
			if r.closed {
				return false
			}
			continue
		}
		if !f.rule.fits(v) {
			return false
		}
		seen |= f.bit
	}
	return seen&r.required == r.required
}

// fitsFew is fitsObject for an open object of few fields.
func (r *rule) fitsFew(n jsonscan.Node) bool {
	for i := range r.list {
		m := &r.list[i]
		v := n.Get(m.key)
		if !v.Exists() && m.bit&r.required != 0 || v.Exists() && !m.rule.fits(v) {
			return false
		}
	}
	return true
}
