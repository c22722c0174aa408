// Package sealed is a decorator that encrypts the objects of owners, each owner's with a data key
// of its own.
//
// # Format
//
// A sealed object is a header of 56 bytes and chunks of 64 KiB of content, each followed by an
// authentication tag of 16 bytes:
//
//	magic (16) · id of the data key (8) · salt (32) · chunk 0 · chunk 1 · …
//
// The key of an object is HKDF-SHA256 of the data key, with the salt, the key of the object in the
// store and the id of the data key. Chunks are sealed with AES-256-GCM. The nonce of a chunk is its
// number, and one byte that is 1 for the last chunk (the STREAM construction). So an object that
// was moved to another key, shortened, extended, or put together of others does not open. An empty
// object has one empty chunk; no other chunk is empty.
//
// The size of the content follows from the size of the object, so that Head and List need no key.
// Ranged reads decrypt the chunks that they touch. Conditions of writes are those of the store
// below, with its ETags.
//
// # Keys
//
// Data keys are objects of the store, keys/owners/<owner>.json with a copy beside it, wrapped by a
// [Master] key that is kept elsewhere ([Keyring]). The mark keys/store.json says that a store is
// encrypted.
//
// An object that does not open gives [blob.ErrDamaged] while it is read.
package sealed
