// Package made makes exports out of nothing: for measuring, and for faults that need many of them.
package made

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
)

// words are what made-up people talk with: several scripts, escapes and long texts cost what they
// cost in real exports.
var words = strings.Fields("time people water word long little work place year back thing after name good sentence think great help " +
	"through line right mean old same tell boy follow came want show also around form three small set put end does another " +
	"größer cœur niño 日本 данные 🙂 \"quoted\" back\\slash")

// Export says what a made-up export holds.
type Export struct {
	// Seed makes ids and texts: exports of two seeds share no conversation.
	Seed          uint64
	Conversations int
	// Facts are things that the person says of themselves, one a conversation.
	Facts int
	// Pictures is how many bytes of files that do not compress there are besides, in members of at
	// most 8 MiB.
	Pictures int64
	// Grown makes it the export of a later day: so many conversations are new, and as many of the
	// others have one more message, spread over the export. All else is the same, byte for byte.
	Grown int
}

// Write writes the zip, the same bytes for the same export.
func (e Export) Write(out io.Writer) error {
	z := zip.NewWriter(out)
	member, err := z.Create("conversations.json")
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(member, 1<<20)
	g := generator{r: rand.New(rand.NewPCG(e.Seed, uint64(e.Conversations))), w: w}
	later := generator{r: rand.New(rand.NewPCG(e.Seed, ^uint64(e.Grown))), w: w}
	for i := range e.Conversations {
		sep := ",\n"
		if i == 0 {
			sep = "["
		}
		g.print("%s", sep)
		g.fact, g.more = "", nil
		if e.grows(i) {
			g.more = later.r
			later.conversation(e.Conversations + i)
			g.print(",\n")
		}
		if i < e.Facts {
			g.fact = g.statement()
		}
		g.conversation(i)
	}
	g.print("]")
	if err := w.Flush(); err != nil {
		return err
	}
	if err := e.pictures(z, g.r); err != nil {
		return err
	}
	return z.Close()
}

// grows tells whether a conversation has one more message, and a new one before it.
func (e Export) grows(i int) bool {
	return i*e.Grown/e.Conversations < (i+1)*e.Grown/e.Conversations
}

// pictures writes files that begin like PNG and go on at random.
func (e Export) pictures(z *zip.Writer, r *rand.Rand) error {
	noise := rand.NewChaCha8([32]byte{byte(e.Seed), byte(e.Seed >> 8), byte(e.Seed >> 16)})
	for left := e.Pictures; left > 0; left -= maxPicture {
		name := fmt.Sprintf("file-%024x-picture.png", r.Uint64())
		m, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			return err
		}
		if _, err := io.WriteString(m, "\x89PNG\r\n\x1a\n"); err != nil {
			return err
		}
		if _, err := io.CopyN(m, noise, min(left, maxPicture)); err != nil {
			return err
		}
	}
	return nil
}

const maxPicture = 8 << 20

type generator struct {
	r *rand.Rand
	w *bufio.Writer
	// fact is what the first message of the conversation says of the person, "" for nothing.
	fact string
	// more has the choices for one more message of the conversation; nil: there is none.
	more *rand.Rand
}

// statement is something that a person says of themselves.
func (g *generator) statement() string {
	things := []string{"hiking", "chess", "jazz", "pottery", "climbing", "baking", "astronomy", "sailing", "gardening", "cycling"}
	places := []string{"Lisbon", "Oslo", "Lyon", "Turin", "Porto", "Leeds", "Ghent", "Graz", "Bergen", "Aarhus"}
	forms := []string{"I live in %s.", "I was born in %s.", "I love %s.", "My hobby is %s."}
	k := g.r.IntN(len(forms))
	list := places
	if k > 1 {
		list = things
	}
	return fmt.Sprintf(forms[k], list[g.r.IntN(len(list))])
}

// print writes; the buffered writer keeps the first error until Flush.
func (g *generator) print(format string, args ...any) { _, _ = fmt.Fprintf(g.w, format, args...) }

func (g *generator) id() string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", g.r.Uint32(), g.r.Uint32N(1<<16), g.r.Uint32N(1<<12), g.r.Uint32N(1<<12), g.r.Uint64N(1<<48))
}

func (g *generator) text(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[g.r.IntN(len(words))])
	}
	if g.r.IntN(8) == 0 {
		b.WriteString("\n\n```go\nfmt.Println(\"hello\")\n```")
	}
	return b.String()
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string has a JSON form
	}
	return string(b)
}

// conversation writes one element: a chain with an edited prompt here and there.
func (g *generator) conversation(i int) {
	at := 1.68e9 + float64(i)*1000
	root := g.id()
	updated := at + 9999.123456
	if g.more != nil {
		updated += 1e6
	}
	g.print(`{"title":%s,"create_time":%.6f,"update_time":%.6f,"mapping":{`, quote(g.text(4)), at, updated)
	turns := 4 + g.r.IntN(56)
	ids, parents := []string{root}, []int{-1}
	last := 0
	for range turns {
		ids, parents = append(ids, g.id()), append(parents, last)
		if g.r.IntN(16) > 0 {
			last = len(ids) - 1
		}
	}
	if g.more != nil {
		own := g.r
		g.r = g.more
		ids, parents = append(ids, g.id()), append(parents, last)
		last, g.r = len(ids)-1, own
	}
	children := make([][]string, len(ids))
	for k, p := range parents[1:] {
		children[p] = append(children[p], ids[k+1])
	}
	for k, id := range ids {
		if k > 0 {
			g.print(",")
		}
		kids, err := json.Marshal(append([]string{}, children[k]...))
		if err != nil {
			panic(err) // strings have a JSON form
		}
		if k == 0 {
			g.print(`%q:{"id":%q,"message":null,"parent":null,"children":%s}`, id, id, kids)
			continue
		}
		own := g.r
		if g.more != nil && k == len(ids)-1 {
			g.r = g.more
		}
		role, n := "user", 5+g.r.IntN(35)
		if k%2 == 0 {
			role, n = "assistant", 50+g.r.IntN(450)
		}
		text := g.text(n)
		g.r = own
		if k == 1 && g.fact != "" {
			text = g.fact
		}
		g.print(`%q:{"id":%q,"message":{"id":%q,"author":{"role":%q,"name":null,"metadata":{}},"create_time":%.6f,"update_time":null,`+
			`"content":{"content_type":"text","parts":[%s]},"status":"finished_successfully","end_turn":true,"weight":1.0,`+
			`"metadata":{"model_slug":"gpt-4o","request_id":%q,"timestamp_":"absolute","citations":[]},"recipient":"all","channel":null},"parent":%q,"children":%s}`,
			id, id, id, role, at+float64(k)*13.37, quote(text), id, ids[parents[k]], kids)
	}
	g.print(`},"moderation_results":[],"current_node":%q,"plugin_ids":null,"conversation_id":%q,"gizmo_id":null,"is_archived":false,"default_model_slug":"gpt-4o","id":%q}`,
		ids[last], root, root)
}
