// Package publish computes an owner's store from an input set and publishes it: conversations are folded, candidates resolved,
// the document validated and written under the id of its export, and the head swapped. It keeps the copies that other tools
// read in step with the head, and copies bundles out of the store.
package publish
