package copilot

import (
	"github.com/pamline/pamline/providers/importer"
)

// survey reads the whole table once more, to find out which of the two numbers of its dates is the
// month. It tells whether to go on.
func (s *splitter) survey() bool {
	s.dates = either
	r, err := s.u.Member.Open(s.ctx)
	if err != nil {
		return s.ctx.Err() == nil || s.yield(importer.Unit{}, s.ctx.Err()) // it was opened before
	}
	defer r.Close() //nolint:errcheck // only read
	rows := newRecords(importer.UTF8(r), s.limit)
	rows.delim, rows.begins = s.c.delim, s.c.begins
	var seen [monthFirst + 1]int
	for {
		if err := s.ctx.Err(); err != nil {
			return s.yield(importer.Unit{}, err)
		}
		rec, _, err := rows.next()
		if err != nil {
			break // what is wrong is reported when the rows are read
		}
		if m, ok := readMoment(unquote(string(s.c.cell(rec.raw, s.c.time))), monthFirst); ok {
			seen[m.order]++
		}
	}
	switch {
	case seen[dayFirst] > 0 && seen[monthFirst] == 0:
		s.dates = dayFirst
	case seen[monthFirst] > 0 && seen[dayFirst] == 0:
		s.dates = monthFirst
	}
	return true
}
