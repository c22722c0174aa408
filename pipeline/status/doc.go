// Package status tells people what has become of their drops: a catalog of imports from job
// records, receipts and failed objects, the report of one import, and the progress of those that
// are being worked on. The catalog writes nothing.
//
// A row of the catalog is a drop in its newest generation. An import that was interrupted and goes
// on is therefore one row, and so is a drop that is read again. Query.Older gives the older
// generations, too.
//
// What is true is in storage. Progress is what workers report on the way: bytes read so far, when
// the work began, what went wrong last. It is a hint: without it, rows have fewer figures.
package status
