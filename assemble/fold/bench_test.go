package fold

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
)

// BenchmarkFold folds a conversation of about 47 KB with its continuation, from text to text.
func BenchmarkFold(b *testing.B) {
	var messages []string
	for i := range 100 {
		m := fmt.Sprint("m", i)
		if i > 0 {
			m += fmt.Sprint("<m", i-1)
		}
		messages = append(messages, m+":"+strings.Repeat("some words ", 30))
	}
	older := doc("2024-01-02T00:00:00Z", messages[:80]...).AppendJSON(nil)
	newer := doc("2024-01-03T00:00:00Z", messages...).AppendJSON(nil)
	b.SetBytes(int64(len(older) + len(newer)))
	b.ReportAllocs()
	var out []byte
	for b.Loop() {
		var f Folder
		for i, text := range [][]byte{older, newer} {
			c, err := pamio.ParseConversation(text)
			if err != nil {
				b.Fatal(err)
			}
			if err := f.Add(fmt.Sprint(i), c); err != nil {
				b.Fatal(err)
			}
		}
		c, _, err := f.Result()
		if err != nil {
			b.Fatal(err)
		}
		if err := c.Check(); err != nil {
			b.Fatal(err)
		}
		out = c.AppendJSON(out[:0])
	}
}
