package archive

import (
	"bytes"
	"cmp"
	"slices"
)

// maxHeaderChecks bounds the reads that settle who is right when entries overlap.
const maxHeaderChecks = 1000

// markOverlaps refuses the entries that claim bytes which belong to another: those whose data runs
// into the next header or into the directory, and all but the first of those that share a header.
// The rest are disjoint, so that what comes out is bounded by what went in. An entry in the middle
// of another's data is believed only if there is a header, so that a single liar spoils none of its
// neighbours.
func markOverlaps(src Source, entries []zipEntry, directory int64) error {
	order := make([]int, 0, len(entries))
	for i, e := range entries {
		if e.bad == nil || e.bad.code != CodeCorrupt && e.bad.code != CodeTruncated { // theirs are no real offsets
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(entries[i].offset, entries[j].offset) })
	checks := 0
	var after []int // the entries that start behind the current one and are believed; the nearest is last
	for k := len(order) - 1; k >= 0; k-- {
		e := &entries[order[k]]
		if k > 0 && entries[order[k-1]].offset == e.offset {
			e.overlap()
			continue
		}
		end := e.offset + headerLength + e.csize
		for len(after) > 0 && end > entries[after[len(after)-1]].offset && checks < maxHeaderChecks {
			checks++
			next := &entries[after[len(after)-1]]
			real, err := isHeader(src, next.offset)
			if err != nil {
				return err
			}
			if real {
				break
			}
			next.bad = &zipFault{CodeCorrupt, "there is no member where the directory says", hintDownload}
			after = after[:len(after)-1]
		}
		if end > directory || len(after) > 0 && end > entries[after[len(after)-1]].offset {
			e.overlap()
		}
		after = append(after, order[k])
	}
	return nil
}

func (e *zipEntry) overlap() {
	if e.bad == nil {
		e.bad = &zipFault{CodeOverlap, "its data is also that of another member", "the archive is damaged or was made to do harm"}
	}
}

func isHeader(src Source, offset int64) (bool, error) {
	if offset+headerLength > src.Size() {
		return false, nil
	}
	sig := make([]byte, len(magicLocal))
	if n, err := src.ReadAt(sig, offset); n < len(sig) {
		return false, err
	}
	return bytes.Equal(sig, magicLocal), nil
}
