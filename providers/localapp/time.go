package localapp

import (
	"time"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// AnomalyLocalTime counts conversations whose times have no zone: they were written in that of the
// person's machine, which nobody noted, and are read as UTC.
const AnomalyLocalTime = "local_time"

// LocalTime reads a time without a zone in one of Go's layouts.
func LocalTime(layout, text string) (normalize.Instant, bool) {
	t, err := time.Parse(layout, text)
	if err != nil || t.Unix() <= 0 {
		return normalize.Instant{}, false
	}
	return normalize.Instant{Sec: t.Unix(), Micro: int32(t.Nanosecond() / 1000)}, true
}

// FlagLocalTime says in a document that its times are those of a clock whose zone is not known.
func FlagLocalTime(b *lossless.Builder) {
	if b.Anomalies[AnomalyLocalTime] == 0 {
		b.Anomalies[AnomalyLocalTime] = 1
		b.Note("time_zone", "unknown")
	}
}

// Layout is the form of a time in one of Go's layouts, without a zone.
func Layout(layout string) lossless.Form {
	return lossless.Form{
		Write: func(dst []byte, v string) ([]byte, bool) {
			t, ok := normalize.ParseInstant(v)
			if !ok {
				return dst, false
			}
			u := time.Unix(t.Sec, int64(t.Micro)*1000).UTC()
			dst = append(dst, '"')
			return append(u.AppendFormat(dst, layout), '"'), true
		},
		Read: func(n jsonscan.Node) (string, bool) {
			t, ok := LocalTime(layout, n.Str())
			return t.String(), ok && n.Kind() == jsonscan.String
		},
	}
}

// SecondsOrMillis is the form of programs that write seconds or, later, milliseconds since 1970:
// seconds where the time has no fraction. Milliseconds that are whole seconds stay as they stand in
// the source.
var SecondsOrMillis = lossless.Form{
	Write: func(dst []byte, v string) ([]byte, bool) {
		t, ok := normalize.ParseInstant(v)
		switch {
		case !ok:
			return dst, false
		case t.Micro == 0:
			return lossless.Seconds.Write(dst, v)
		}
		return lossless.Millis.Write(dst, v)
	},
	Read: lossless.Seconds.Read,
}

// Newest gives the latest of some times.
func Newest(times ...normalize.Instant) normalize.Instant {
	newest := normalize.Epoch
	for _, t := range times {
		if t.Compare(newest) > 0 {
			newest = t
		}
	}
	return newest
}
