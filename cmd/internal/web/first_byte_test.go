package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// largeStore is a store of so many conversations and memories.
func largeStore(conversations, memories int) string {
	var b strings.Builder
	b.WriteString(`{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"ann"},"memories":[`)
	comma := func(i int) string { return map[bool]string{true: "", false: ","}[i == 0] }
	for i := range memories {
		fmt.Fprintf(&b, `%s{"id":"22222222-0000-5000-8000-%012d","type":"%s","status":"active","content":"Has said the thing number %d, and likes it.","content_hash":"sha256:00","tags":["topic%d"],"temporal":{"created_at":"20%02d-03-05T10:00:00Z"},"confidence":{"initial":0.8,"current":0.8},"provenance":{"platform":"chatgpt","conversation_ref":"11111111-0000-5000-8000-%012d"},"metadata":{"rule":"r","evidence":[{"conversation":"11111111-0000-5000-8000-%012d","message":"m","start":0,"end":9,"quote":"the thing number %d","observed_at":"2024-03-05T10:00:00Z"}]}}`,
			comma(i), i, []string{"fact", "skill", "goal"}[i%3], i, i%40, 10+i%15, i%conversations, i%conversations, i)
	}
	b.WriteString(`],"relations":[],"conversations_index":[`)
	for i := range conversations {
		storage := ""
		if i == 0 {
			storage = `,"storage":{"type":"file","ref":"` + longTalk + `","format":"json"}`
		}
		fmt.Fprintf(&b, `%s{"id":"11111111-0000-5000-8000-%012d","platform":"chatgpt","title":"Talk number %d","message_count":12,"temporal":{"created_at":"20%02d-%02d-05T10:00:00Z"}%s}`, comma(i), i, i, 10+i%15, 1+i%12, storage)
	}
	b.WriteString("]}")
	return b.String()
}

// longTalk is the file of a conversation of 2,000 messages.
var longTalk = "conversations/11111111-0000-5000-8000-000000000000." + objects.Digest(longConversation())[:16] + ".json"

func longConversation() string {
	var b strings.Builder
	b.WriteString(`{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"11111111-0000-5000-8000-000000000000","title":"Long","provider":{"name":"chatgpt"},"temporal":{"created_at":"2024-03-05T10:00:00Z"},"messages":[`)
	for i := range 2000 {
		fmt.Fprintf(&b, `%s{"id":"m%d","role":"%s","created_at":"2024-03-05T10:00:00Z","content":{"type":"text","text":%q}}`, map[bool]string{false: ","}[i == 0], i, []string{"user", "assistant"}[i%2], strings.Repeat("Some *words* and `code`, $x^2$.\n\n", 20))
	}
	b.WriteString("]}")
	return b.String()
}

// BenchmarkFirstByte shows how long a page of a large store takes, and how long reading the store.
func BenchmarkFirstByte(b *testing.B) {
	kept, err := dir.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	s := serveStore(b, kept, 1<<20)
	s.o.SearchFolder = b.TempDir()
	s.shelves.searchFolder = s.o.SearchFolder
	s.o.Patience = defaultPatience() // as in the service, which shows less instead of waiting
	putObject(b, s.store, state.OwnerKey("ann", longTalk), longConversation())
	for i := range 20_000 {
		putObject(b, s.store, state.OwnerKey("ann", fmt.Sprintf("conversations/x%05d.json", i)), "{}")
	}
	publish(b, s.store, "ann", largeStore(20_000, 100_000))
	head, _, err := state.ReadHead(b.Context(), s.store, "ann")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			if _, err := readCatalog(b.Context(), s.store, "ann", head); err != nil {
				b.Fatal(err)
			}
		}
	})
	shelf := s.shelves.of("ann")
	if _, err := shelf.catalog(b.Context(), true); err != nil {
		b.Fatal(err)
	}
	if err := shelf.makeCurrent(b.Context()); err != nil { // the index for searches
		b.Fatal(err)
	}
	token, err := s.sessions.invite("ann")
	if err != nil {
		b.Fatal(err)
	}
	cookie, _, err := s.sessions.exchange(token)
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range []string{"conversations", "conversations?title=number+7", "memories", "memories?topic=topic7&page=3", "memories/22222222-0000-5000-8000-000000000007", "review", "timeline", "timeline?month=2012-05", "search?q=thing+7", "search?q=%22the+thing+number%22", "search?q=%22the+thing+number%22&sort=time", "search?q=likes+it+-talk", "memories?status=&page=200", "conversations/11111111-0000-5000-8000-000000000000", "conversations/11111111-0000-5000-8000-000000000000?message=m1900", "store", "imports", "operations"} {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				r := httptest.NewRequest(http.MethodGet, "http://localhost"+Base+path, http.NoBody)
				r.AddCookie(&http.Cookie{Name: cookieName(r), Value: cookie})
				w := httptest.NewRecorder()
				if s.Page.ServeHTTP(w, r); w.Code != http.StatusOK {
					b.Fatal(path, w.Code)
				}
			}
		})
	}
}
