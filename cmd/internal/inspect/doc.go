// Package inspect tells a person what is in a memory store, a bundle or a conversation file,
// reading it as a stream.
package inspect
