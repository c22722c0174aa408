// Package converted is what importers of other memory formats share whose documents hold a store of
// their own: memories with ids, states and times, relations, conversations. Such a document is
// checked as a whole and converted to PAM (package interop/convert) in a scratch folder, and what
// comes of it is read by the importer of PAM. So its memories are adopted as those of a PAM store
// are: nothing is renamed, reworded or judged again, and each has its source record in its
// metadata.
//
// A document that is not valid is refused as a whole with the place of its first fault, for these
// formats say that an import must not be applied by halves.
package converted
