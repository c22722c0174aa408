package pipeline

import (
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
)

// fromSource stands in the candidates of a shard for the time of a list: that of the archive it came in, which is known only
// when the archive was read to its end. The number of the source follows.
const fromSource = "source:"

// listIn notes which source the list of a record's evidence came from.
func listIn(c *normalize.Candidate, source int) {
	for i := range c.Evidence {
		if e := &c.Evidence[i]; e.Listing != "" && e.ListedAt == "" {
			e.ListedAt = fromSource + strconv.Itoa(source)
		}
	}
}

// listedAt puts the times of the lists in.
func listedAt(c *normalize.Candidate, m Manifest) error {
	for i := range c.Evidence {
		e := &c.Evidence[i]
		number, ok := strings.CutPrefix(e.ListedAt, fromSource)
		if !ok {
			continue
		}
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n >= len(m.Sources) {
			return permanent("import the drop again", "read import %s: a candidate names source %q of %d", m.Import, number, len(m.Sources))
		}
		e.ListedAt = documentTime(m.Parts[m.Sources[n].Part].Newest)
	}
	return nil
}
