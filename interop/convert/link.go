package convert

import "crypto/sha256"

// linkID tells relations apart: a bundle may have more of them than fit into memory as text.
type linkID [16]byte

// idOfLink gives the id of a relation between two memories.
func idOfLink(from, to, kind string) (id linkID) {
	sum := sha256.Sum256([]byte(from + "\x00" + to + "\x00" + kind))
	copy(id[:], sum[:])
	return id
}
