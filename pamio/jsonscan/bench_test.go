package jsonscan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// chatExport looks like a chat export: long texts with some escapes, ids, numbers, a graph of
// messages.
func chatExport(conversations int) []byte {
	var b bytes.Buffer
	prose := strings.Repeat("Plain words that go on for a while, as answers do. ", 8)
	text := prose + `A \"quoted\" word, a line\nand caf\u00e9, größer, 日本語. ` + prose
	b.WriteByte('[')
	for c := range conversations {
		if c > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"title":"Conversation %d","create_time":1700000000.123456,"mapping":{`, c)
		for m := range 40 {
			if m > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"node-%08d-0000-4000-8000-000000000000":{"id":"node-%08d","parent":"node-%08d","children":["node-%08d"],`+
				`"message":{"author":{"role":"assistant","name":null,"metadata":{}},"create_time":1700000000.5,"status":"finished_successfully",`+
				`"weight":1.0,"end_turn":true,"content":{"content_type":"text","parts":["%s"]}}}`, m, m, m-1, m+1, text)
		}
		b.WriteString(`}}`)
	}
	b.WriteByte(']')
	return b.Bytes()
}

func BenchmarkParse(b *testing.B) {
	src := chatExport(40)
	var d Doc
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if err := d.Parse(src, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFramer(b *testing.B) {
	array := chatExport(40)
	wrapped := append(append([]byte(`{"version":1,"conversations":`), array...), '}')
	for name, src := range map[string][]byte{"array": array, "wrapper": wrapped} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				f := NewFramer(bytes.NewReader(src), FrameOptions{Wrappers: []string{"conversations"}})
				for {
					fr, err := f.Next(buf)
					if errors.Is(err, io.EOF) {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
					buf = fr.Raw
				}
			}
		})
	}
}
