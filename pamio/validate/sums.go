package validate

import "github.com/pamline/pamline/pamio/sums"

// sumsChecks are the checks of the problems of a list of digests.
var sumsChecks = map[sums.Kind]check{
	sums.Differs: sumsDiffers, sums.Missing: sumsMissing, sums.Extra: sumsExtra, sums.Malformed: sumsMalformed, sums.Unreadable: fileUnreadable,
}

// checkSums holds the files of a bundle against SHA256SUMS, if there is one.
func (c *checker) checkSums() error {
	read, err := sums.Check(c.ctx, c.fsys, c.o.Scratch, func(p sums.Problem) error {
		c.wrong(sumsChecks[p.Kind], true)
		c.find(sumsChecks[p.Kind], place{p.File, "", -1}, "%s", p)
		return nil
	})
	if read.Digest != "" {
		for _, id := range sumsChecks {
			c.wrong(id, false)
		}
	}
	c.report.Seen.Bytes += read.Bytes
	return err
}
