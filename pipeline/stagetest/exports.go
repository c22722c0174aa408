package stagetest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// PNG is the beginning of an image.
const PNG = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"

// Talks is a ChatGPT export of n small conversations, each of which has one memory.
func Talks(n int) string { return TalksOf("c", 0, n) }

// TalksOf is an export of the conversations from one number on, whose ids begin with a name.
func TalksOf(name string, from, n int) string {
	var b strings.Builder
	for i := from; i < from+n; i++ {
		fmt.Fprintf(&b, `,{"conversation_id":"%s-%d","title":"Talk %d","create_time":%d,"update_time":%d,"mapping":{
"a":{"id":"a","message":{"id":"a","author":{"role":"assistant"},"recipient":"bio","create_time":%d,"content":{"content_type":"text","parts":["User keeps %d hens."]},"metadata":{}},"parent":null,"children":[]}},"current_node":"a"}`,
			name, i, i, 1700000000+i, 1700000100+i, 1700000001+i, i)
	}
	return "[" + strings.TrimPrefix(b.String(), ",") + "]"
}

// Zip packs named texts, in the order of their names.
func Zip(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(files[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TalksZip is an archive with an export of n conversations.
func TalksZip(t testing.TB, n int) []byte {
	t.Helper()
	return Zip(t, map[string]string{"conversations.json": Talks(n)})
}
