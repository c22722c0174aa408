package pamio_test

import (
	"fmt"
	"strings"

	"github.com/pamline/pamline/pamio"
)

// A small store is read as a whole.
func ExampleLoadStore() {
	const text = `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"ada"},"memories":[
		{"id":"m-1","type":"preference","content":"Likes green tea","temporal":{"created_at":"2026-01-01T00:00:00Z"},"provenance":{"platform":"manual"}}]}`
	store, err := pamio.LoadStore(strings.NewReader(text), 10<<20)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range store.Memories {
		fmt.Println(store.Owner.ID, m.Type, m.Status, m.Content)
	}
	// Output:
	// ada preference active Likes green tea
}

// The elements of a large store pass one by one.
func ExampleReadStore() {
	const text = `{"memories":[{"id":"m-1","status":"active"},{"id":"m-2","status":"retracted"}],
		"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"ada"}}`
	counts := map[string]int{}
	err := pamio.ReadStore(strings.NewReader(text), pamio.Visitor{Memory: func(e pamio.Element) error {
		m, err := pamio.ParseMemory(e.Raw)
		if err == nil {
			counts[m.Status]++
		}
		return err
	}})
	fmt.Println(counts, err)
	// Output:
	// map[active:1 retracted:1] <nil>
}
