package fold

import (
	"math"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// createdAtSource is the member of raw_metadata that says where a created_at was taken from when
// the source itself did not give it.
const createdAtSource = "created_at_source"

// stamp is a created_at and how far it is to be believed.
type stamp struct {
	time   string
	source pamio.RawJSON // nil for a time that the source gives
	rank   int
}

// The ranks of a stamp. A time that was borrowed from a neighbour tells nothing about the message,
// and the placeholder for a time that is nowhere tells nothing at all.
const (
	missing = iota
	placeholder
	borrowed
	genuine
)

func newStamp(time string, raw pamio.RawJSON) stamp {
	if time == "" {
		return stamp{}
	}
	s := stamp{time: time, rank: genuine}
	if len(raw) == 0 {
		return s
	}
	doc, err := jsonscan.Parse(raw, 0)
	if err != nil {
		return s // what is wrong with it is reported where it is merged
	}
	source := doc.Root().Get(createdAtSource)
	if !source.Exists() {
		return s
	}
	s.source, s.rank = source.AppendCompact(nil), borrowed
	if source.Is("none") {
		s.rank = placeholder
	}
	return s
}

// bestTime takes the latest of the most believable times. Only times that the source gave can lose:
// the others win nothing and are not worth keeping.
func bestTime(m *merger, pointer string, versions []version[stamp]) stamp {
	var best stamp
	for _, v := range versions {
		if v.value.rank >= best.rank {
			best = v.value
		}
	}
	for _, v := range versions {
		if v.value.rank == genuine && v.value.time != best.time {
			m.lose(pointer, v.order, jsonString(v.value.time))
		}
	}
	return best
}

// instant is a time in microseconds, to compare. What cannot be read is the latest of all, so that
// it offends nothing.
func instant(s string) int64 {
	t, err := pamio.ParseTime(s)
	if err != nil {
		return math.MaxInt64
	}
	return t.UnixMicro()
}
