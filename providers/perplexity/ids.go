package perplexity

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// derivedSpace is the namespace of threads without an id.
const derivedSpace = "perplexity/derived"

// The endings of the ids of the two messages of an entry.
const (
	queryEnd  = ":query"
	answerEnd = ":answer"
)

// nameThread gives the document its id. The rules are FROZEN: a document that was named once keeps
// its name. All generations give the same id to the same thread where they have its UUID.
//
//  1. context_uuid, else thread_id, of the thread, of its metadata, or of the first entry that has
//     one;
//  2. else thread_url_slug in the same places;
//  3. else what never changes when the thread grows or is renamed: id, question and time of its
//     first entry;
//  4. a thread with none of these: the digest of the element.
//
// A row of a workbook has the id of its column UUID, else the digest of the row.
func nameThread(b *lossless.Builder, root jsonscan.Node, g generation) {
	places := []jsonscan.Node{root, root.Get("metadata"), root.Get("thread_metadata")}
	var first jsonscan.Node
	for e := range root.Get(g.list).Items() {
		if !first.Exists() {
			first = e
		}
		places = append(places, e)
	}
	for _, keys := range [][]string{{"context_uuid", "thread_id"}, {"thread_url_slug"}} {
		for _, n := range places {
			if id := importer.FirstText(n, keys...); id != "" {
				b.ID(id)
				return
			}
		}
	}
	var key []byte
	for _, k := range []string{"entry_uuid", "uuid", "query", "query_str", "created_at", "timestamp", "entry_created_datetime"} {
		if v := first.Get(k); v.Exists() && !v.IsNull() {
			key = normalize.AppendIdentity(append(key, 0), v)
		}
	}
	if len(key) == 0 {
		b.ID("")
		return
	}
	b.DerivedID(derivedSpace, string(key))
}
