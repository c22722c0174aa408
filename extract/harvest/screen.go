package harvest

import (
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/gate"
	"github.com/pamline/pamline/normalize"
)

// redactedTag marks a memory that something was taken out of.
const redactedTag = "redacted"

// screen takes secrets out of a candidate's content. It tells whether the candidate may be kept; if
// not it was counted.
func screen(c *normalize.Candidate, report *extract.Report) bool {
	v := gate.Screen(c.Content)
	if v.Reason != "" {
		report.Reject(v.Reason, c)
		return false
	}
	if v.Redacted != c.Content {
		c.Content = v.Redacted
		c.Tags = append(c.Tags, redactedTag)
		report.Skip(redactedTag)
	}
	return true
}
