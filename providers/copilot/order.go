package copilot

import (
	"slices"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// newestFirst tells whether a run begins with its newest row, as files have it. Of rows with the
// same second the answer stands before its question then, so that the run is to be turned round and
// not to be sorted. Only where its times, or when they are all the same its speakers, show that the
// run is in the order of the talk, it is left as it is.
func newestFirst(rows []row) bool {
	first, last := -1, -1
	for i, r := range rows {
		if r.dated {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return true
	}
	switch rows[first].at.at.Compare(rows[last].at.at) {
	case -1:
		return false
	case 0:
		return rows[0].role != normalize.RoleUser || rows[len(rows)-1].role == normalize.RoleUser
	}
	return true
}

// turned writes a unit with its rows in the opposite order, so that no row of a document depends on
// how many came after it.
func turned(root jsonscan.Node) []byte {
	out := []byte{'{'}
	for k, v := range root.Fields() {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, k.Raw()...), ':')
		if !k.Is("rows") {
			out = append(out, v.Raw()...)
			continue
		}
		out = append(out, '[')
		items := slices.Collect(v.Items())
		for i := len(items) - 1; i >= 0; i-- {
			out = append(out, items[i].Raw()...)
			if i > 0 {
				out = append(out, ',')
			}
		}
		out = append(out, ']')
	}
	return append(out, '}')
}

// reversed gives the rows in the order of a list that has them turned round.
func reversed(rows []row, list jsonscan.Node) []row {
	slices.Reverse(rows)
	i, k := -1, 0
	for node := range list.Items() {
		if i++; node.Kind() == jsonscan.Object {
			rows[k].node, rows[k].index = node, i
			k++
		}
	}
	return rows
}
