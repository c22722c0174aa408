package mem

import (
	"fmt"
	"strings"
	"time"
)

// layouts are the forms of times that readers of the format accept besides RFC 3339: without a
// zone, without seconds, a date alone, and the basic forms of ISO 8601.
var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02",
	"20060102T150405Z0700", "20060102T150405", "20060102", "2006-01-02T15:04:05.999999999Z0700",
}

// ParseTime reads a time of a record. One without a zone is UTC.
func ParseTime(s string) (time.Time, error) {
	s = strings.Replace(s, " ", "T", 1)
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("read time: %q is not of ISO 8601", s)
}

// FormatTime writes a time as the format has it: UTC, whole seconds.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
