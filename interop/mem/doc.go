// Package mem reads, checks, merges and writes bundles of the Portable Memory format (.mem),
// versions 1.0 and 1.1.
//
// A bundle is a folder or zip with manifest.json, CHECKSUMS and one JSON Lines stream per record
// kind. [Open] finds it, [Bundle.Check] verifies every file and every record, and [Bundle.Records]
// gives the records of one stream, verifying its digest on the way. [Merge] applies the import
// order of the format: all tombstones first, then the rows. [Writer] sorts, hashes and writes a
// bundle.
//
// All of it streams: one line is in memory at a time, and sorting uses scratch files.
package mem
