package keys

import "crypto/ed25519"

// Ed25519 is the key for formats that sign with Ed25519 alone; ok tells whether it is one.
func (p Public) Ed25519() (key ed25519.PublicKey, ok bool) {
	key, ok = p.key.(ed25519.PublicKey)
	return key, ok
}

// Ed25519 is the key for formats that sign with Ed25519 alone; ok tells whether it is one.
func (p Private) Ed25519() (key ed25519.PrivateKey, ok bool) {
	key, ok = p.key.(ed25519.PrivateKey)
	return key, ok
}
