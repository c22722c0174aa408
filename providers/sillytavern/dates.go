package sillytavern

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// The ways in which SillyTavern has written dates, as provider.export_format_version has them. A
// file usually has one in all of its messages.
const (
	datesMillis = "dates-millis" // 1717247100000
	datesISO    = "dates-iso"    // 2024-06-01T13:05:00.000Z
	datesText   = "dates-text"   // June 1, 2024 1:05pm, of the person's clock
	datesNamed  = "dates-named"  // 2024-6-1@13h05m20s, of the person's clock
)

// textLayout is datesText in Go's words.
const textLayout = "January 2, 2006 3:04pm"

var named = regexp.MustCompile(`^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2}) ?@([0-9]{1,2})h ?([0-9]{1,2})m ?([0-9]{1,2})s ?(?:([0-9]{1,3})ms)?$`)

// readDate reads a date in any of the ways and says which it is; "" for none of them.
func readDate(n jsonscan.Node) (t normalize.Instant, style string) {
	if t, ok := lossless.ReadTime(n); ok {
		if n.Kind() == jsonscan.String && !strings.ContainsAny(n.Str(), "-:") || n.Kind() == jsonscan.Number {
			return t, datesMillis
		}
		return t, datesISO
	}
	if n.Kind() != jsonscan.String {
		return normalize.Instant{}, ""
	}
	if t, ok := localapp.LocalTime(textLayout, n.Str()); ok {
		return t, datesText
	}
	m := named.FindStringSubmatch(n.Str())
	if m == nil {
		return normalize.Instant{}, ""
	}
	var v [7]int
	for i := range v {
		v[i], _ = strconv.Atoi(m[i+1]) // digits only; "" is 0
	}
	at := time.Date(v[0], time.Month(v[1]), v[2], v[3], v[4], v[5], v[6]*1e6, time.UTC)
	if at.Unix() <= 0 || at.Month() != time.Month(v[1]) || at.Day() != v[2] || v[3] > 23 || v[4] > 59 || v[5] > 59 {
		return normalize.Instant{}, ""
	}
	return normalize.Instant{Sec: at.Unix(), Micro: int32(v[6]) * 1000}, datesNamed
}

// forms write dates in each of the ways and read all of them.
var forms = map[string]lossless.Form{
	datesMillis: {Write: lossless.Millis.Write, Read: read},
	datesISO:    {Write: lossless.ISOMillis.Write, Read: read},
	datesText:   {Write: localapp.Layout(textLayout).Write, Read: read},
	datesNamed:  {Write: writeNamed, Read: read},
}

func read(n jsonscan.Node) (string, bool) {
	t, style := readDate(n)
	return t.String(), style != ""
}

func writeNamed(dst []byte, v string) ([]byte, bool) {
	t, ok := normalize.ParseInstant(v)
	if !ok {
		return dst, false
	}
	at := time.Unix(t.Sec, 0).UTC()
	dst = fmt.Appendf(dst, `"%d-%d-%d@%02dh%02dm%02ds`, at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second())
	if t.Micro != 0 {
		dst = fmt.Appendf(dst, "%dms", t.Micro/1000)
	}
	return append(dst, '"'), true
}
