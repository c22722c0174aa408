package providers

import "github.com/pamline/pamline/interop/convert"

// IsErased tells whether a memory of another store goes with what its owner has had erased: itself,
// or what the record of another format that it was made of depends on. isErased tells it of the id
// of a memory.
func IsErased(raw []byte, isErased func(id string) bool) bool { return convert.IsErased(raw, isErased) }
