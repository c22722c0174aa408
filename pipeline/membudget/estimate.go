package membudget

import (
	"bytes"
	"fmt"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/cut"
)

// heaviest is how many bytes of memory a unit may take for each byte of limits.max_conversation. A
// unit up to leastRefused is never refused.
const (
	heaviest     = 7
	leastRefused = 64 << 20
)

// EstimateParts estimates the memory of the parts that a unit's source does not show.
func EstimateParts(parts int) int64 { return partWeight * int64(parts) }

// EstimateUnit estimates the memory of a unit. A rough estimate is enough for small units; for the
// others, braces and commas in texts do not count.
func EstimateUnit(raw []byte) int64 {
	w := Estimate(len(raw), bytes.Count(raw, []byte{'{'}), bytes.Count(raw, []byte{','}))
	if w > smallUnit {
		return Estimate(len(raw), jsonscan.Count(raw, '{'), jsonscan.Count(raw, ','))
	}
	return w
}

// Estimate gives the memory, in bytes, of a source by its size and its objects and commas.
func Estimate(size, objects, commas int) int64 {
	return sourceWeight*int64(size) + objectWeight*int64(objects) + commaWeight*int64(commas)
}

// CheckUnit tells why a unit takes more memory than the limit on conversations allows; nil if it
// does not. It depends on the unit and the limit only.
func CheckUnit(u providers.Unit, weight, maxConversation int64) *providers.UnitError {
	if weight <= max(heaviest*maxConversation, leastRefused) {
		return nil
	}
	return &providers.UnitError{
		Member: u.Member.Name, Index: u.Index, Offset: u.Offset, Size: int64(len(u.Raw)), Code: cut.CodeTooBig,
		Reason: fmt.Sprintf("the element consists of so many small parts that its %d bytes would take %d MiB of memory, more than %d times the limit of %d bytes; raise limits.max_conversation to read it",
			len(u.Raw), weight>>20, heaviest, maxConversation),
	}
}
