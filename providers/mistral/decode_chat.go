package mistral

import (
	"slices"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// turn is a message with what orders it.
type turn struct {
	at   int
	node jsonscan.Node
	time normalize.Instant
	// key is the time that it is sorted by: its own, else that of the message before it in the
	// list.
	key    normalize.Instant
	role   string
	object *lossless.Object
}

// decodeElement makes the document of one chat.
func decodeElement(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	list := src.Root
	if list.Kind() != jsonscan.Array || list.Len() > 0 && !holdsMessages(list) {
		return nil, lossless.Fail(u, "not_a_conversation", "the file is no list of messages; the other chats are not affected")
	}
	form := recognize(list)
	b := schemas[form].New(src, provider)
	b.Doc.Provider.ExportFormatVersion = form
	nameConversation(b, list, u.Member.Name)
	turns := sorted(b, list)
	chats := map[string]bool{}
	files := filesOf(u)
	for i := range turns {
		t := &turns[i]
		t.role = roleOf(b, t.node.Get("role"))
		t.object = b.Item("", t.at, t.node)
		addMessage(b, t, files)
		if id := t.node.Get("chatId").Str(); id != "" {
			chats[id] = true
		}
	}
	if len(chats) > 1 {
		b.Unknown("several_chats")
	}
	link(turns)
	return b.Items()
}

// holdsMessages tells whether any element is a message.
func holdsMessages(list jsonscan.Node) bool {
	for m := range list.Items() {
		if m.Get("role").Exists() && (m.Get("content").Exists() || m.Get("contentChunks").Exists()) {
			return true
		}
	}
	return false
}

// sorted gives the messages by time, those of one time as the list has them.
func sorted(b *lossless.Builder, list jsonscan.Node) []turn {
	var out []turn
	i := -1
	key := normalize.Epoch
	for m := range list.Items() {
		i++
		if m.Kind() != jsonscan.Object {
			b.Unknown("not_a_message")
			continue
		}
		t := turn{at: i, node: m}
		if t.time = b.Time(m.Get("createdAt")); t.time != normalize.Epoch {
			key = t.time
		}
		t.key = key
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(x, y turn) int { return x.key.Compare(y.key) })
	return out
}

// addMessage makes the message of an element. Its text is in content, which repeats the text
// chunks, or else in these.
func addMessage(b *lossless.Builder, t *turn, files map[string]archive.Member) {
	m := t.object.Add(t.node.Get("id").Str(), t.role)
	m.Time = t.time
	content := t.node.Get("content")
	fromChunks := content.Kind() != jsonscan.String || content.Is("")
	if content.Kind() == jsonscan.String {
		if !fromChunks || !hasText(t.node.Get("contentChunks")) {
			m.Text(content.Str())
		}
	}
	for c := range t.node.Get("contentChunks").Items() {
		kind := c.Get("type").Str()
		switch kind {
		case "text":
			if text := c.Get("text"); fromChunks && text.Kind() == jsonscan.String {
				m.Text(text.Str())
			}
		case "tool_call":
			addCall(b, m, c)
		case "image_url":
			// The picture is an address on the web, which is never asked: the export does not have
			// it.
			m.Attachments = append(m.Attachments, pamio.Attachment{Type: "image"})
			b.Anomalies[importer.AnomalyAssetMissing]++
		}
		if !knownChunks[kind] {
			b.Unknown("unknown_chunk")
		}
	}
	for f := range t.node.Get("files").Items() {
		name := f.Get("name").Str()
		if name == "" {
			b.Unknown("unknown_file")
			continue
		}
		a := pamio.Attachment{Type: kindOfFile(f.Get("type").Str()), Name: name}
		if member, ok := files[name]; ok {
			a.Ref = importer.MemberRef(member)
		} else {
			b.Anomalies[importer.AnomalyAssetMissing]++
		}
		m.Attachments = append(m.Attachments, a)
	}
}

func hasText(chunks jsonscan.Node) bool {
	for c := range chunks.Items() {
		if c.Get("type").Is("text") && c.Get("text").Kind() == jsonscan.String {
			return true
		}
	}
	return false
}

// addCall makes a tool call of a chunk. One without a name stays where it is.
func addCall(b *lossless.Builder, m *lossless.Message, chunk jsonscan.Node) {
	call := pamio.ToolCall{Name: chunk.Get("name").Str()}
	if call.Name == "" {
		b.Unknown("unknown_tool")
		return
	}
	if in := chunk.Get("publicArguments"); in.Kind() == jsonscan.Object || in.Kind() == jsonscan.String {
		call.Input = in.AppendCompact(nil)
	}
	switch out := chunk.Get("publicResult"); out.Kind() {
	case jsonscan.String:
		s := out.Str()
		call.Output = &s
	case jsonscan.Object, jsonscan.Array:
		s := string(out.AppendCompact(nil))
		call.Output = &s
	}
	m.ToolCalls = append(m.ToolCalls, call)
}

func kindOfFile(t string) string {
	switch {
	case strings.HasPrefix(t, "image"):
		return "image"
	case strings.HasPrefix(t, "audio"):
		return "audio"
	case strings.HasPrefix(t, "video"):
		return "video"
	case t == "document" || strings.HasSuffix(t, "pdf"):
		return "document"
	}
	return "file"
}
