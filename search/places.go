package search

import (
	"encoding/binary"
	"errors"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/branches"
)

// places are where the messages of a conversation stand in its file, and in which branches. With
// them a search parses the messages that have its words, and not the whole file.
type places struct {
	messages []pamio.Place
	branches int
	// first are the numbers of the first branch with each message; nil if there is one branch.
	first []int
}

// placesOf are the places of a conversation that was just parsed.
func placesOf(c *pamio.Conversation, messages []pamio.Place) places {
	tree := branches.Of(c)
	p := places{messages: messages, branches: tree.Count()}
	if p.branches > 1 {
		p.first = make([]int, len(messages))
		for i := range p.first {
			p.first[i] = tree.BranchOf(i)
		}
	}
	return p
}

// pack writes places as the index keeps them: two to four bytes for each message.
func (p *places) pack() []byte {
	packed := binary.AppendUvarint(nil, uint64(p.branches)) //nolint:gosec // counts and places are not negative
	end := 0
	for i, m := range p.messages {
		packed = binary.AppendUvarint(packed, uint64(m.Start-end))   //nolint:gosec // as above
		packed = binary.AppendUvarint(packed, uint64(m.End-m.Start)) //nolint:gosec // as above
		if p.first != nil {
			packed = binary.AppendUvarint(packed, uint64(p.first[i])) //nolint:gosec // as above
		}
		end = m.End
	}
	return packed
}

// errPlaces is returned for places that do not fit the file.
var errPlaces = errors.New("the places of messages are damaged")

// unpackPlaces reads places for a file of a size.
func unpackPlaces(packed []byte, size int) (p places, err error) {
	next := func(most int) int {
		n, read := binary.Uvarint(packed)
		if read <= 0 || n > uint64(most) { //nolint:gosec // sizes are not negative
			err, packed = errPlaces, nil
			return 0
		}
		packed = packed[read:]
		return int(n) //nolint:gosec // at most most
	}
	p.branches = next(size)
	for end := 0; len(packed) > 0; {
		start := end + next(size-end)
		end = start + next(size-start)
		p.messages = append(p.messages, pamio.Place{Start: start, End: end})
		if p.branches > 1 {
			p.first = append(p.first, next(p.branches-1))
		}
	}
	return p, err
}

// branchOf is the number of the first branch with a message, from 1.
func (p *places) branchOf(message int) int {
	if p.first == nil {
		return 1
	}
	return p.first[message] + 1
}
