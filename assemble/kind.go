package assemble

import (
	"hash/fnv"

	"github.com/pamline/pamline/assemble/near"
)

// kind is a number that memories of one type and polarity share.
func (f *facts) kind() uint64 {
	h := fnv.New64a()
	// Writing to a hash gives no error.
	_, _ = h.Write(tupleString(tupleString([]byte{flag(f.negative)}, f.typ), f.custom))
	return h.Sum64()
}

// comparable tells whether two memories are of a kind in which there can be near-duplicates:
// nothing that is told of one denies the other. A language that is not known may be any: records
// and what is added by hand tell none.
func (f *facts) comparable(o *facts) bool {
	return f.typ == o.typ && f.custom == o.custom && f.negative == o.negative &&
		(f.language == o.language || f.language == "" || o.language == "") &&
		(f.slot.Attribute == "" || o.slot.Attribute == "" || f.slot.Attribute == o.slot.Attribute && f.slot.Value == o.slot.Value)
}

// reading is a memory as it is compared with several others in a row.
type reading struct {
	of   string
	read near.Text
}

func (t *reading) get(content string) *near.Text {
	if t.of != content {
		t.of, t.read = content, near.Read(content)
	}
	return &t.read
}
