package state

import (
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pipeline/fault"
)

// DocumentTime writes a sortable time as documents have it: a fraction of zero is none.
func DocumentTime(t string) string { return strings.Replace(t, ".000000Z", "Z", 1) }

// fromSource is a placeholder in candidates for the newest time of their archive, which is known
// only at its end. The number of the source follows.
const fromSource = "source:"

// ObserveIn dates records without a time by their archive: what a provider keeps holds at the
// newest time in it.
func ObserveIn(c *normalize.Candidate, source int) {
	for i := range c.Evidence {
		if e := &c.Evidence[i]; e.Pointer != "" && e.ObservedAt == "" {
			e.ObservedAt = fromSource + strconv.Itoa(source)
		}
	}
}

// ListIn records the source of the list that a record's evidence is from.
func ListIn(c *normalize.Candidate, source int) {
	for i := range c.Evidence {
		if e := &c.Evidence[i]; e.Listing != "" && e.ListedAt == "" {
			e.ListedAt = fromSource + strconv.Itoa(source)
		}
	}
}

// ListedAt replaces the placeholders by the times of the archives.
func ListedAt(c *normalize.Candidate, m Manifest) error {
	for i := range c.Evidence {
		for _, at := range []*string{&c.Evidence[i].ListedAt, &c.Evidence[i].ObservedAt} {
			number, ok := strings.CutPrefix(*at, fromSource)
			if !ok {
				continue
			}
			n, err := strconv.Atoi(number)
			if err != nil || n < 0 || n >= len(m.Sources) {
				return fault.Permanentf("import the drop again", "read import %s: a candidate names source %q of %d", m.Import, number, len(m.Sources))
			}
			*at = DocumentTime(m.Parts[m.Sources[n].Part].Newest)
			c.Evidence[i].AsOf = c.Evidence[i].AsOf || at == &c.Evidence[i].ObservedAt
		}
	}
	return nil
}
