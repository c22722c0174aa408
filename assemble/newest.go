package assemble

import (
	"fmt"

	"github.com/pamline/pamline/pamio/extsort"
)

// newestTime is the newest time in the owner's data: of a conversation, or of something that was
// said or done by hand. What is to hold until an earlier time is over.
func newestTime(entries, evidence *extsort.Sorter) (newest when, err error) {
	for e, err := range readEntries(entries) {
		if err != nil {
			return "", fmt.Errorf("find newest time: %w", err)
		}
		for _, t := range [...]string{e.CreatedAt, e.UpdatedAt} {
			tidyTime(&t, func() {})
			newest = max(newest, observed(t))
		}
	}
	for rec, err := range evidence.Sorted() {
		if err != nil {
			return "", fmt.Errorf("find newest time: %w", err)
		}
		_, kind, err := splitMemoryKey(rec.Key)
		if err != nil {
			return "", err
		}
		if kind != sightingRecord {
			continue
		}
		u := unpacker{left: rec.Value}
		s := u.sighting()
		if u.err != nil {
			return "", u.err
		}
		_, last := s.observed()
		newest = max(newest, last.known())
	}
	return newest, nil
}
