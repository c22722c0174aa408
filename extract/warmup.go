package extract

import (
	"sync"

	"github.com/pamline/pamline/pamio"
)

// greeting is a conversation that brings every extractor to its tables.
const greeting = `{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"4f8f6b0e-5c3a-5d0e-9a53-3f2a4c7b9d10",` +
	`"provider":{"name":"manual"},"temporal":{"created_at":"1970-01-01T00:00:00Z"},"messages":[` +
	`{"id":"1","role":"user","content":{"type":"text","text":"Hello! I live in a small town by the sea, and I work as a nurse."},"created_at":"1970-01-01T00:00:00Z"}]}`

// Preparer is an extractor that can build beforehand what takes long.
type Preparer interface {
	// Prepare builds what most texts need. It may run beside Extract, which waits for it.
	Prepare()
}

// WarmUp has extractors read a made-up conversation and drops what they find: what they build when
// they meet their first text (the decoder, tables of cues and phrases, the patterns of English) is
// there when the first real text comes. A caller runs it beside the work that comes before
// extraction. Extractors that ask a service do nothing before they are asked, and are left out.
func WarmUp(list []Extractor) {
	var prepared sync.WaitGroup
	defer prepared.Wait()
	for _, x := range list {
		if p, ok := x.(Preparer); ok {
			prepared.Go(p.Prepare)
		}
	}
	for _, x := range list {
		if _, asks := x.(Asking); asks {
			continue
		}
		doc, err := pamio.ParseConversation([]byte(greeting))
		if err != nil {
			panic("extract: the conversation for warming up is broken: " + err.Error()) // the tests read it
		}
		found, _ := x.Extract(doc, []byte(greeting))
		Finish(found)
	}
}
