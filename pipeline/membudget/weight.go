package membudget

import (
	"bytes"
	"fmt"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/cut"
)

// heaviest is how many bytes of memory a unit may take for each byte of limits.max_conversation; leastRefused is what is
// never refused, whatever the limit.
const (
	heaviest     = 16
	leastRefused = 64 << 20
)

// WeighUnit tells how much memory a unit takes. Of small ones it is enough to know that they are small; in the others what
// stands in texts does not count.
func WeighUnit(raw []byte) int64 {
	w := WeightOf(len(raw), bytes.Count(raw, []byte{'{'}), bytes.Count(raw, []byte{','}))
	if w > smallUnit {
		return WeightOf(len(raw), jsonscan.Count(raw, '{'), jsonscan.Count(raw, ','))
	}
	return w
}

// WeightOf is the memory, in bytes, of a source of a size with so many objects and commas.
func WeightOf(size, objects, commas int) int64 {
	return sourceWeight*int64(size) + objectWeight*int64(objects) + commaWeight*int64(commas)
}

// TooHeavy says of a unit why it cannot be read within the memory that the limit on conversations stands for, nil if it
// can. It depends on nothing but the unit and the limit.
func TooHeavy(u providers.Unit, weight, maxConversation int64) *providers.UnitError {
	if weight <= max(heaviest*maxConversation, leastRefused) {
		return nil
	}
	return &providers.UnitError{
		Member: u.Member.Name, Index: u.Index, Offset: u.Offset, Size: int64(len(u.Raw)), Code: cut.CodeTooBig,
		Reason: fmt.Sprintf("the element consists of so many small parts that its %d bytes would take %d MiB of memory, more than %d times the limit of %d bytes; raise limits.max_conversation to read it",
			len(u.Raw), weight>>20, heaviest, maxConversation),
	}
}
