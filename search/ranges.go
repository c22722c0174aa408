package search

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ranges say which rows belong to which conversation, and what a search chooses conversations by.
// They are one value of the index, which is read at once: a table of many conversations would take
// longer to read than most searches take.
type ranges struct {
	list      []rowRange
	platforms []string
}

// rowRange are the rows from base on: a title and messages.
type rowRange struct {
	base, messages   int64
	earliest, latest int64
	platform         int
	// roles are the codes of the roles of the messages; they may be fewer.
	roles []byte
}

// of gives the range of a row; nil when no conversation has it.
func (r *ranges) of(row int64) *rowRange {
	i, ok := slices.BinarySearchFunc(r.list, row, func(x rowRange, row int64) int {
		switch {
		case x.base > row:
			return 1
		case x.base+x.messages < row:
			return -1
		}
		return 0
	})
	if !ok {
		return nil
	}
	return &r.list[i]
}

// latestBelow is the newest time of the conversations with rows below a row.
func (r *ranges) latestBelow(row int64) int64 {
	latest := int64(math.MinInt64)
	for i := range r.list {
		if r.list[i].base < row {
			latest = max(latest, r.list[i].latest)
		}
	}
	return latest
}

// writeRanges writes the ranges of all conversations.
func (x *Index) writeRanges(ctx context.Context) (err error) {
	var packed []byte
	var names []string
	numbers := map[string]int{}
	rows, err := x.conn.QueryContext(ctx, `SELECT base, messages, earliest, latest, platform, roles FROM conversations ORDER BY base`)
	if err != nil {
		return err
	}
	for rows.Next() {
		var r rowRange
		var platform string
		if err := rows.Scan(&r.base, &r.messages, &r.earliest, &r.latest, &platform, &r.roles); err != nil {
			return errors.Join(err, rows.Close())
		}
		if _, ok := numbers[platform]; !ok {
			numbers[platform] = len(names)
			names = append(names, platform)
		}
		for _, n := range []int64{r.base, r.messages, r.earliest, r.latest - r.earliest, int64(numbers[platform]), int64(len(r.roles))} {
			packed = binary.AppendVarint(packed, n)
		}
		packed = append(packed, r.roles...)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	head := binary.AppendVarint(nil, int64(len(names)))
	for _, name := range names {
		head = append(binary.AppendVarint(head, int64(len(name))), name...)
	}
	return x.exec(ctx, `INSERT OR REPLACE INTO meta VALUES ('ranges', ?)`, append(head, packed...))
}

// readRanges reads the ranges, once.
func (x *Index) readRanges(ctx context.Context) (*ranges, error) {
	if x.ranges != nil {
		return x.ranges, nil
	}
	var packed []byte
	if err := x.conn.QueryRowContext(ctx, `SELECT value FROM meta WHERE key='ranges'`).Scan(&packed); err != nil {
		return nil, err
	}
	failed := false
	next := func() int64 {
		n, size := binary.Varint(packed)
		if size <= 0 {
			failed, packed = true, nil
			return 0
		}
		packed = packed[size:]
		return n
	}
	r := &ranges{}
	for n := next(); n > 0 && !failed; n-- {
		size := next()
		if size < 0 || size > int64(len(packed)) {
			failed = true
			break
		}
		r.platforms, packed = append(r.platforms, string(packed[:size])), packed[size:]
	}
	for len(packed) > 0 && !failed {
		one := rowRange{base: next(), messages: next(), earliest: next()}
		one.latest, one.platform = one.earliest+next(), int(next())
		size := next()
		if failed = failed || size < 0 || size > int64(len(packed)); failed {
			break
		}
		one.roles, packed = packed[:size:size], packed[size:]
		r.list = append(r.list, one)
		failed = failed || one.platform < 0 || one.platform >= len(r.platforms)
	}
	if failed {
		return nil, fmt.Errorf("read rows of conversations: %w", errStale)
	}
	x.ranges = r
	return r, nil
}
