// Package known keeps what imports know of the elements of archives, so that a later archive which
// holds the same elements costs no second import. People request the whole export again each month,
// and nearly all of it is the same, byte for byte.
//
// The known elements of a pack are a cache beside it: by the digest of an element, what its
// document cannot tell. A later import takes the document out of the pack, and decodes and extracts
// nothing. No input set names the cache. Without it, or if it or the pack is damaged, elements are
// decoded again, to the same bytes.
//
// The cache is written before the list of its pack, so that whoever is killed in between writes it
// again with the pack. It lies in the folder of its import, and goes with that in a prune. An
// erasure writes the import again, without the cache, and removes the first.
package known
