package harvest

import "github.com/pamline/pamline/extract"

// Wants tells whether a document may hold a record (see [MayHold]).
func (Extractor) Wants(raw []byte) bool { return MayHold(raw) }

var _ extract.Selective = Extractor{}
