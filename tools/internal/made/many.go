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
	"time"
)

// Many is the export of a provider other than ChatGPT, as a zip: of Count conversations, or of as
// many rows where the export has rows.
type Many struct {
	Seed     uint64
	Provider string // one of [Providers]
	Count    int
}

// provider writes an export.
type provider struct {
	member     string
	head, tail string
	write      func(g *generator, i int)
}

var providers = map[string]provider{
	"claude":  {"conversations.json", "[", "]", (*generator).claudeConversation},
	"grok":    {"ttl/30d/export_data/prod-grok-backend.json", `{"conversations":[`, `]}`, (*generator).grokConversation},
	"gemini":  {"Takeout/My Activity/Gemini Apps/MyActivity.json", "[", "]", (*generator).geminiRow},
	"copilot": {"copilot-activity-history.csv", "Conversation,Time,Author,Message\r\n", "", (*generator).copilotRow},
}

// Providers are those that there are exports of. Claude and Grok have conversations of 45 and 13
// KB; Gemini has a log with a row of 1.4 KB for each prompt, of which a few belong together;
// Copilot a table of 2.3 KB a row.
func Providers() []string { return slices.Sorted(maps.Keys(providers)) }

// Write writes the zip, the same bytes for the same export.
func (m Many) Write(out io.Writer) error {
	p, ok := providers[m.Provider]
	if !ok {
		return fmt.Errorf("make an export: there is none of %q, but of %s", m.Provider, strings.Join(Providers(), ", "))
	}
	z := zip.NewWriter(out)
	member, err := z.Create(p.member)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(member, 1<<20)
	g := &generator{r: rand.New(rand.NewPCG(m.Seed, 2)), w: w}
	g.print("%s", p.head)
	for i := range m.Count {
		if i > 0 && p.tail != "" {
			g.print(",")
		}
		p.write(g, i)
	}
	g.print("%s", p.tail)
	return errors.Join(w.Flush(), z.Close())
}

func (g *generator) claudeConversation(i int) {
	sender := [2]string{"human", "assistant"}
	at := fmt.Sprintf("2025-%02d-%02dT%02d:%02d:%02d.000001Z", 1+i/2419200%12, 1+i/86400%28, i/3600%24, i/60%60, i%60)
	g.print(`{"uuid":%q,"name":%s,"created_at":%q,"updated_at":%q,"account":{"uuid":"5bc8fbbc-bde5-4099-8164-d8399f767c45"},"chat_messages":[`, g.id(), quote(g.text(4)), at, at)
	for k := range 4 + g.r.IntN(56) {
		if k > 0 {
			g.print(",")
		}
		text := g.ordinary(k)
		g.print(`{"uuid":%q,"text":%s,"content":[{"type":"text","text":%s}],"sender":%q,"created_at":%q,"updated_at":%q,"attachments":[],"files":[]}`,
			g.id(), text, text, sender[k%2], at, at)
	}
	g.print(`]}`)
}

func (g *generator) grokConversation(i int) {
	sender := [2]string{"human", "assistant"}
	id, at := g.id(), 1_700_000_000_000+int64(i)*60_000
	g.print(`{"conversation":{"id":%q,"user_id":"5bc8fbbc-bde5-4099-8164-d8399f767c45","create_time":"2025-%02d-%02dT00:00:00.000000Z","title":%s},"responses":[`, id, 1+i/28%12, 1+i%28, quote(g.text(4)))
	for k := range 2 + g.r.IntN(16) {
		if k > 0 {
			g.print(",")
		}
		g.print(`{"response":{"_id":%q,"conversation_id":%q,"message":%s,"sender":%q,"create_time":{"$date":{"$numberLong":"%d"}},"metadata":{},"model":"grok-3"}}`,
			g.id(), id, g.ordinary(k), sender[k%2], at+int64(k)*1000)
	}
	g.print(`]}`)
}

// geminiRow writes rows from the newest to the oldest, a minute apart, as the log has them; each
// fifth is the first of a conversation.
func (g *generator) geminiRow(i int) {
	at := 1_760_000_000 - int64(i)*60 - int64(i/5)*86_400/4
	link := fmt.Sprintf("https://gemini.google.com/app/%016x", i/5)
	g.print(`{"header":"Gemini Apps","title":%s,"titleUrl":%q,"time":%q,"products":["Gemini Apps"],"activityControls":["Gemini Apps Activity"],"safeHtmlItem":[{"html":%s}]}`,
		quote("Prompted "+g.text(5+g.r.IntN(35))), link, formatUTC(at), quote("<p>"+g.text(60+g.r.IntN(240))+"</p>"))
}

// formatUTC gives a time in seconds as exports write it.
func formatUTC(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.RFC3339) }

// copilotRow writes rows from the newest to the oldest: an answer stands before its question.
func (g *generator) copilotRow(i int) {
	author := [2]string{"AI", "Human"}[i%2]
	at := formatUTC(1_760_000_000 - int64(i)*30)
	g.print("Talk %d,%s,%s,\"%s\"\r\n", i/8, strings.TrimSuffix(at, "Z"), author, strings.ReplaceAll(g.text(100+g.r.IntN(560)), `"`, `""`))
}
