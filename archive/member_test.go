package archive

import (
	"io"
	"strings"
	"sync"
	"testing"
)

func TestMembersAreReadByManyGoroutinesAtOnce(t *testing.T) {
	inner := ordinary(t, "deep", noise(70_000))
	a := mustOpen(t, ordinary(t, "a", noise(50_000), "b", noise(60_000), "in.zip", string(inner)), Limits{})
	want := map[string]string{"a": noise(50_000), "b": noise(60_000), "in.zip/deep": noise(70_000)}
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			m := a.Members[i%len(a.Members)]
			if got, err := read(m); err != nil || got != want[m.Name] {
				t.Errorf("member %q gives %d bytes, %v", m.Name, len(got), err)
			}
		})
	}
	wg.Wait()
}

type closing struct {
	io.Reader
	io.Closer
}

func TestThroughSeesEveryByteAndKeepsTheMember(t *testing.T) {
	m := mustOpen(t, ordinary(t, "x", "", "a", "content"), Limits{}).Members[1]
	var seen strings.Builder
	tapped := m.Through(func(r io.ReadCloser) io.ReadCloser { return closing{io.TeeReader(r, &seen), r} })
	if got, err := read(tapped); err != nil || got != "content" || seen.String() != "content" || tapped.Name != "a" || tapped.Index != 1 {
		t.Errorf("%q, %v, seen %q", got, err, seen.String())
	}
	seen.Reset()
	if _, err := read(m); err != nil || seen.Len() != 0 {
		t.Errorf("the member itself was changed: %v, seen %q", err, seen.String())
	}
}

func BenchmarkReadDeflatedMember(b *testing.B) {
	text := strings.Repeat(noise(3000)+strings.Repeat("an ordinary sentence of a conversation. ", 100), 1000)
	whole, _ := craft(b, crafted{name: "conversations.json", content: text, deflate: true})
	a := mustOpen(b, whole, Limits{})
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := a.Members[0].Open(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			b.Fatal(err)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenZip(b *testing.B) {
	var files []crafted
	for i := range 20_000 {
		files = append(files, crafted{name: "conversations/" + strings.Repeat("x", i%40) + ".json", content: "{}"})
	}
	whole, _ := craft(b, files...)
	b.ReportAllocs()
	for b.Loop() {
		if a := mustOpen(b, whole, Limits{}); len(a.Members) != len(files) {
			b.Fatal(len(a.Members))
		}
	}
}
