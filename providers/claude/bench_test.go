package claude_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/claude"
)

// BenchmarkDecode decodes conversations of 40 messages, each of which has its text twice, as the
// exports do.
func BenchmarkDecode(b *testing.B) {
	said := string(pamio.AppendString(nil, strings.Repeat("Some words of an answer with a \"quotation\" in it,\nand a line more. ", 30)))
	var messages []string
	for i := range 40 {
		sender := [2]string{"human", "assistant"}[i%2]
		messages = append(messages, message(fmt.Sprintf("%08d", i), sender, fmt.Sprintf(
			`,"updated_at":"2026-01-02T03:04:05.678901Z","text":%s,"content":[{"type":"text","text":%s,"citations":[]}],"attachments":[],"files":[]`, said, said)))
	}
	raw := chat(messages...)
	units := read(b, text("conversations.json", raw)).Units
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		for _, u := range units {
			if _, err := claude.New().Decode(u.Unit); err != nil {
				b.Fatal(err)
			}
		}
	}
}
