package state

import "github.com/pamline/pamline/pipeline/objects"

// Identity is what a published store says of its owner beside the id (PAM §17, §19). The settings
// have it, and it belongs to the moment of publishing.
type Identity struct {
	DID          string `json:"did,omitempty"`
	CreatedAt    string `json:"created_at,omitempty"`
	TypeRegistry string `json:"type_registry,omitempty"`
}

// Digest names an identity, "" for none.
func (i Identity) Digest() string {
	if i == (Identity{}) {
		return ""
	}
	return objects.Digest(i.DID + "\x00" + i.CreatedAt + "\x00" + i.TypeRegistry)
}
