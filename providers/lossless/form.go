package lossless

import (
	"bytes"
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Form is how a value of the document is written in the source. Values of the document are strings
// here; ToolInput, Children, Nested and Archived have their own form and need none.
type Form struct {
	// Write gives the JSON text of a value of the document; ok is false when this value is left
	// out.
	Write func(dst []byte, value string) (out []byte, ok bool)
	// Read gives the document's value of a source value; ok is false when it has none. It tells an
	// edited document from one whose source is written in another way.
	Read func(n jsonscan.Node) (value string, ok bool)
	// none is what stands where the document has no value; nil for nothing.
	none []byte
	// plain tells that a value is written as a string, as it is.
	plain bool
}

// Or gives the form with a JSON text that the source has where the document has no value.
func (f Form) Or(none string) Form {
	f.none = []byte(none)
	return f
}

// String is a JSON string.
var String = Form{
	Write: func(dst []byte, v string) ([]byte, bool) { return pamio.AppendString(dst, v), true },
	Read:  func(n jsonscan.Node) (string, bool) { return n.Str(), n.Kind() == jsonscan.String },
	plain: true,
}

// StringOrNull is a JSON string, null where the document has no value.
var StringOrNull = String.Or("null")

// StringOrEmpty is a JSON string, "" where the document has no value.
var StringOrEmpty = String.Or(`""`)

// Number is a JSON number whose lexeme is the value.
var Number = Form{
	Write: func(dst []byte, v string) ([]byte, bool) { return append(dst, v...), v != "" },
	Read:  func(n jsonscan.Node) (string, bool) { return string(n.Raw()), n.Kind() == jsonscan.Number },
}

// Flag is a JSON boolean; the value is "true" or "false".
var Flag = Form{
	Write: func(dst []byte, v string) ([]byte, bool) { return append(dst, v...), v != "" },
	Read:  func(n jsonscan.Node) (string, bool) { return string(n.Raw()), n.Kind() == jsonscan.Bool },
}

// Roles is a role by the provider's name for it: Roles("user", "human", "assistant", "assistant").
// Pairs are PAM role and provider's name; of two names of one role the first is written.
func Roles(pairs ...string) Form {
	return Form{
		Write: func(dst []byte, v string) ([]byte, bool) {
			for i := 0; i+1 < len(pairs); i += 2 {
				if pairs[i] == v {
					return pamio.AppendString(dst, pairs[i+1]), true
				}
			}
			return dst, false
		},
		Read: func(n jsonscan.Node) (string, bool) {
			if n.Kind() != jsonscan.String {
				return "", false
			}
			s := n.Str()
			for i := 0; i+1 < len(pairs); i += 2 {
				if pairs[i+1] == s {
					return pairs[i], true
				}
			}
			return "", false
		},
	}
}

// FlagRole is a role as a boolean: yes is the role of true, no that of false.
func FlagRole(yes, no string) Form {
	return Form{
		Write: func(dst []byte, v string) ([]byte, bool) {
			switch v {
			case yes:
				return append(dst, "true"...), true
			case no:
				return append(dst, "false"...), true
			}
			return dst, false
		},
		Read: func(n jsonscan.Node) (string, bool) {
			if n.Kind() != jsonscan.Bool {
				return "", false
			}
			if n.True() {
				return yes, true
			}
			return no, true
		},
	}
}

// Forms of times. The document's value is RFC 3339 as pamio writes it.
var (
	// ISO is RFC 3339 in UTC with Z and the fraction that is needed: none, three or six digits.
	ISO = timeForm(func(dst []byte, t normalize.Instant) []byte {
		return quoted(dst, fraction(t, 3), "Z")
	})
	// ISOMicros is RFC 3339 in UTC with Z and always six digits.
	ISOMicros = timeForm(func(dst []byte, t normalize.Instant) []byte { return pamio.AppendString(dst, t.Six()) })
	// ISOMillis is RFC 3339 in UTC with Z and at least three digits.
	ISOMillis = timeForm(func(dst []byte, t normalize.Instant) []byte { return quoted(dst, fraction(t, 1), "Z") })
	// ISOOffset is RFC 3339 with "+00:00", six digits or no fraction.
	ISOOffset = timeForm(func(dst []byte, t normalize.Instant) []byte {
		s := t.String()
		return quoted(dst, s[:len(s)-1], "+00:00")
	})
	// Seconds is a number of seconds since 1970.
	Seconds = timeForm(func(dst []byte, t normalize.Instant) []byte { return t.AppendSeconds(dst) })
	// Millis is a whole number of milliseconds since 1970.
	Millis = timeForm(func(dst []byte, t normalize.Instant) []byte {
		return strconv.AppendInt(dst, t.Sec*1000+int64(t.Micro)/1000, 10)
	})
)

func timeForm(write func([]byte, normalize.Instant) []byte) Form {
	return Form{
		Write: func(dst []byte, v string) ([]byte, bool) {
			t, ok := normalize.ParseInstant(v)
			if !ok {
				return dst, false
			}
			return write(dst, t), true
		},
		Read: func(n jsonscan.Node) (string, bool) {
			t, ok := ReadTime(n)
			return t.String(), ok
		},
	}
}

// TimeText is a time in RFC 3339, "" for a value that is none.
func TimeText(n jsonscan.Node) string {
	if t, ok := ReadTime(n); ok {
		return t.String()
	}
	return ""
}

// ReadTime reads a time as any provider writes it: a number of seconds, milliseconds or
// microseconds since 1970 (also as a string of digits), ISO 8601 text, or one of these inside
// {"$date": …} and {"$numberLong": …}.
func ReadTime(n jsonscan.Node) (normalize.Instant, bool) {
	switch n.Kind() {
	case jsonscan.Number:
		return normalize.EpochInstant(n.Raw())
	case jsonscan.String:
		s := n.Str()
		if t, ok := normalize.ISOInstant(s); ok {
			return t, true
		}
		if len(s) >= 9 && len(s) <= 20 && bytes.Trim([]byte(s), "0123456789.") == nil {
			return normalize.EpochInstant([]byte(s))
		}
	case jsonscan.Object:
		for _, key := range []string{"$date", "$numberLong", "$numberDouble"} {
			if v := n.Get(key); v.Exists() {
				return ReadTime(v)
			}
		}
	}
	return normalize.Instant{}, false
}

func quoted(dst []byte, parts ...string) []byte {
	dst = append(dst, '"')
	for _, p := range parts {
		dst = append(dst, p...)
	}
	return append(dst, '"')
}

// fraction is the time without its zone, with none, three or six digits: at least three when least
// is 1.
func fraction(t normalize.Instant, least int) string {
	six := t.Six()
	base := six[:len("2006-01-02T15:04:05")]
	switch {
	case t.Micro%1000 != 0:
		return six[:len(six)-1]
	case t.Micro != 0 || least == 1:
		return six[:len(base)+4]
	}
	return base
}
