package normalize

import (
	"github.com/google/uuid"

	"github.com/pamline/pamline/pamio"
)

// MemoryIDRules is the version of the rule that names memories. It is frozen: a memory keeps its id
// for ever.
const MemoryIDRules = 1

// memorySpace is the UUIDv5 namespace of memory ids.
var memorySpace = uuid.MustParse("a3f0c1de-5b7e-5d0a-8c41-2e9a6d5b7f13")

// MemoryID is the id of a memory: UUIDv5 over its type, its custom type and its content hash (PAM
// §6), with a NUL between them.
func MemoryID(typ, customType, contentHash string) string {
	return uuid.NewSHA1(memorySpace, []byte(typ+"\x00"+customType+"\x00"+contentHash)).String()
}

// MemoryIDOf is the id of the memory that a statement makes. A memory of another store that says
// the same has an id of its own, too.
func MemoryIDOf(typ, customType, content string) string {
	return MemoryID(typ, customType, pamio.ContentHash(content))
}
