package assemble

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/pamline/pamline/assemble/graph"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/extsort"
)

// retoldWithin is how many months later an event that tells no time is still the same: who tells of
// a move in March and again in May has moved once, who tells of it in 2021 and in 2024 has moved
// twice.
const retoldWithin = 3

// fileHappening files an event under what happened, in order of the months. Those that tell a time
// come before those that were told in that month.
func fileHappening(events *extsort.Sorter, f *facts, h normalize.Happening) error {
	if h.Month == "" {
		return nil
	}
	year, month := h.Month[:4], h.Month[5:]
	y, err := strconv.Atoi(year)
	m, fault := strconv.Atoi(month)
	if err != nil || fault != nil {
		return nil // a slot of a store that wrote something else there
	}
	key := append(tupleString(tupleString(nil, f.slot.Attribute), h.What), flag(f.negative))
	key = append(binary.BigEndian.AppendUint32(key, uint32(12*y+m)), flag(h.Told)) //nolint:gosec // a year has four digits
	return events.Add(append(key, f.id[:]...), nil)
}

// matchHappenings finds events that tell no time, and that were told soon after an equal one
// happened or was told. events is closed.
func (d *duplicates) matchHappenings(events *extsort.Sorter) error {
	const when = 4 + 1 + idSize // the month, whether it was told then, the memory
	var what, before []byte
	var last uint32
	for r, err := range events.Sorted() {
		if err != nil {
			return fmt.Errorf("sort events: %w", err)
		}
		end := len(r.Key) - when
		month, told, id := binary.BigEndian.Uint32(r.Key[end:]), r.Key[end+4] == 1, r.Key[end+5:]
		if bytes.Equal(what, r.Key[:end]) && told && month-last <= retoldWithin {
			if err := graph.AddEdge(d.edges, before, id); err != nil {
				return fmt.Errorf("sort events: %w", err)
			}
		}
		what, before, last = append(what[:0], r.Key[:end]...), append(before[:0], id...), month
	}
	return events.Close()
}
