package state

import (
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pipeline/fault"
)

// DocumentTime writes a sortable time as documents have it: a fraction of zero is none.
func DocumentTime(t string) string { return strings.Replace(t, ".000000Z", "Z", 1) }

// fromSource stands in the candidates of a shard for the time of the archive that a list or a record without a time came in. That time is
// known only when the archive was read to its end. The number of the source follows.
const fromSource = "source:"

// ObserveIn dates records without a time by the archive they came in: what a provider keeps holds at the newest time in it.
func ObserveIn(c *normalize.Candidate, source int) {
	for i := range c.Evidence {
		if e := &c.Evidence[i]; e.Pointer != "" && e.ObservedAt == "" {
			e.ObservedAt = fromSource + strconv.Itoa(source)
		}
	}
}

// ListIn notes which source the list of a record's evidence came from.
func ListIn(c *normalize.Candidate, source int) {
	for i := range c.Evidence {
		if e := &c.Evidence[i]; e.Listing != "" && e.ListedAt == "" {
			e.ListedAt = fromSource + strconv.Itoa(source)
		}
	}
}

// ListedAt puts the times of archives in.
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
