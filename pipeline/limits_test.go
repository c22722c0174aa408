package pipeline

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A low max_conversation (1 KiB is allowed) must not make what was published unreadable: the fold index is one zstd
// stream whose window is larger than the limit that lines() gives the decoder.
func TestLowConversationLimitKeepsTheStoreReadable(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	d.Limits.MaxConversation = 16 << 10
	for _, n := range []int{600, 601} {
		file := filepath.Join(t.TempDir(), "conversations.json")
		writeFile(t, file, manyConversations(n))
		if r, err := runStages(t, d, file); err != nil || r.Counts.Conversations != int64(n) {
			t.Fatalf("%d conversations: %v", n, err)
		}
	}
}

// A conversation within the limit whose document is more than 1.5 times its source fails the whole import.
func TestConversationNearTheLimitThatGrowsFailsAlone(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`[{"conversation_id":"c-1","title":"T","create_time":1700000000,"mapping":{"0":{"message":{"author":{"role":"assistant"},"recipient":"bio","content":{"content_type":"text","parts":["User keeps hens."]}}}`)
	for i := 1; i < 12000; i++ {
		fmt.Fprintf(&b, `,"%d":{"message":{"author":{"role":"user"},"recipient":"bio","content":{"content_type":"text","parts":["a"]}},"parent":"%d"}`, i, i-1)
	}
	b.WriteString("}}," + strings.TrimPrefix(twoConversations, "["))
	d := testDeps(t)
	d.Limits.MaxConversation = int64(b.Len())
	file := filepath.Join(t.TempDir(), "conversations.json")
	writeFile(t, file, b.String())
	r, err := runStages(t, d, file)
	if err != nil || r.Counts.Conversations+r.Counts.Quarantined != 3 {
		t.Errorf("%v, %d conversations", err, r.Counts.Conversations)
	}
}
