package made

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Big is an export of one conversation of about Bytes bytes, in the form that Shape names
// ([Shapes]), as a zip.
type Big struct {
	Seed  uint64
	Shape string
	Bytes int64
}

// shape writes one element; at tells how many bytes of the member were written.
type shape struct {
	member string
	write  func(g *generator, at func() int64, size int64)
}

var shapes = map[string]shape{
	"talk": {"conversations.json", func(g *generator, at func() int64, n int64) { g.chain(at, n, g.ordinary) }},
	"tiny": {"conversations.json", func(g *generator, at func() int64, n int64) { g.chain(at, n, func(int) string { return `"a"` }) }},
	"text": {"conversations.json", func(g *generator, at func() int64, n int64) {
		g.chain(at, n, func(int) string { return quote(strings.Repeat(g.text(1000)+"\n", int(n/6000)+1)) })
	}},
	"escapes": {"conversations.json", func(g *generator, at func() int64, n int64) {
		g.chain(at, n, func(int) string { return `"` + strings.Repeat(`\\\"\u00e9\ud83d\ude42\n`, 200) + `"` })
	}},
	"claude": {"conversations.json", (*generator).claude},
	"tools":  {"conversations.json", (*generator).tools},
	"gemini": {"Takeout/My Activity/Gemini Apps/MyActivity.json", (*generator).gemini},
}

// Shapes are the forms of a big conversation: an ordinary talk of ChatGPT, messages of a letter,
// one long message, texts of nothing but escapes; a talk of Claude and one that consists of the
// calls of tools; a conversation of Gemini.
func Shapes() []string { return slices.Sorted(maps.Keys(shapes)) }

// Write writes the zip, the same bytes for the same export.
func (b Big) Write(out io.Writer) error {
	s, ok := shapes[b.Shape]
	if !ok {
		return fmt.Errorf("make a conversation: there is no shape %q, but %s", b.Shape, strings.Join(Shapes(), ", "))
	}
	z := zip.NewWriter(out)
	member, err := z.Create(s.member)
	if err != nil {
		return err
	}
	count := &counter{w: member}
	w := bufio.NewWriterSize(count, 1<<20)
	g := &generator{r: rand.New(rand.NewPCG(b.Seed, 1)), w: w}
	g.print("[")
	s.write(g, func() int64 { return count.n + int64(w.Buffered()) }, b.Bytes)
	g.print("]")
	return errors.Join(w.Flush(), z.Close())
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

func (g *generator) ordinary(k int) string {
	if k%2 == 0 {
		return quote(g.text(50 + g.r.IntN(450)))
	}
	return quote(g.text(5 + g.r.IntN(35)))
}

// chain writes a conversation of ChatGPT whose messages follow one another; part gives the text of
// one, as JSON.
func (g *generator) chain(at func() int64, size int64, part func(k int) string) {
	root, role := g.id(), [2]string{"user", "assistant"}
	g.print(`{"title":"Long","create_time":1.68e9,"update_time":1.69e9,"conversation_id":%q,"mapping":{%q:{"id":%q,"message":null,"parent":null,"children":[`, root, root, root)
	id := g.id()
	g.print(`%q]}`, id)
	parent := root
	for k := 0; ; k++ {
		next := g.id()
		g.print(`,%q:{"id":%q,"message":{"id":%q,"author":{"role":%q},"create_time":%d.25,"content":{"content_type":"text","parts":[%s]},"metadata":{}},"parent":%q,"children":[`,
			id, id, id, role[k%2], 1680000000+k, part(k), parent)
		if at() >= size {
			break
		}
		g.print(`%q]}`, next)
		parent, id = id, next
	}
	g.print(`]}},"current_node":%q}`, id)
}

// claude writes a conversation of Claude.
func (g *generator) claude(at func() int64, size int64) {
	g.talk(at, size, func(k int) string { return `{"type":"text","text":` + g.ordinary(k) + `}` })
}

// tools writes a conversation of Claude that uses tools, much and often.
func (g *generator) tools(at func() int64, size int64) {
	g.talk(at, size, func(k int) string {
		var b strings.Builder
		for i := range 1 + k%2*40 {
			if i > 0 {
				b.WriteByte(',')
			}
			id := g.id()
			fmt.Fprintf(&b, `{"type":"tool_use","id":%q,"name":"search","input":{"query":%s,"limit":%d,"deep":{"a":[1,2,[3,{"b":null}]]}}},`+
				`{"type":"tool_result","tool_use_id":%q,"name":"search","content":[{"type":"text","text":%s}],"is_error":false}`, id, quote(g.text(6)), i, id, quote(g.text(60)))
		}
		return b.String()
	})
}

// talk writes a conversation of Claude; blocks gives the content of a message.
func (g *generator) talk(at func() int64, size int64, blocks func(k int) string) {
	sender := [2]string{"human", "assistant"}
	g.print(`{"uuid":%q,"name":"Long","created_at":"2025-01-02T03:04:05.678901Z","updated_at":"2025-02-02T03:04:05.678901Z","account":{"uuid":%q},"chat_messages":[`, g.id(), g.id())
	for k := 0; k == 0 || at() < size; k++ {
		if k > 0 {
			g.print(",")
		}
		g.print(`{"uuid":%q,"text":"","content":[%s],"sender":%q,"created_at":"2025-01-02T03:04:05.678901Z","updated_at":"2025-01-02T03:04:05.678901Z","attachments":[],"files":[]}`,
			g.id(), blocks(k), sender[k%2])
	}
	g.print(`]}`)
}

// gemini writes rows of an activity log that belong to one conversation.
func (g *generator) gemini(at func() int64, size int64) {
	link := fmt.Sprintf("https://gemini.google.com/app/%016x", g.r.Uint64())
	for k := 0; k == 0 || at() < size; k++ {
		if k > 0 {
			g.print(",")
		}
		g.print(`{"header":"Gemini Apps","title":%s,"titleUrl":%q,"time":"2025-%02d-%02dT%02d:%02d:%02d.%03dZ","products":["Gemini Apps"],"activityControls":["Gemini Apps Activity"],"safeHtmlItem":[{"html":%s}]}`,
			quote("Prompted "+g.text(5+g.r.IntN(35))), link, 1+k/2400000%12, 1+k/86400%28, k/3600%24, k/60%60, k%60, k%1000, quote("<p>"+g.text(50+g.r.IntN(450))+"</p>"))
	}
}
