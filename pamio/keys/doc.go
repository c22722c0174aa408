// Package keys holds the keys that sign and verify PAM exports (PAM §18.2): Ed25519, ECDSA on P-256
// and P-384, and RSA.
//
// A key fits some algorithms and no others ([Public.Check]), so a signature block cannot choose how
// a key is used. RSA keys below the size that the specification demands of an algorithm are
// refused.
//
// Keys are read from PEM (PKCS #8, SEC 1, PKCS #1, SubjectPublicKeyInfo), from JSON Web Keys (RFC
// 7517, RFC 8037) and, public ones, from multibase with a multicodec prefix, as did:key has it.
// Signatures of ECDSA are r‖s as in RFC 7518 §3.4, with the smaller of the two possible s. Reading
// also accepts DER and the greater s.
//
// Every signature is deterministic: signing the same bytes with the same key gives the same
// signature.
package keys
