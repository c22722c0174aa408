package cursor

import (
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
	"github.com/pamline/pamline/providers/sqlite"
	"github.com/pamline/pamline/providers/toolcall"
)

// The rules of names are frozen: a chat is named by its composerId or tabId in the space
// local/cursor, a message by its bubbleId or id; where one bubble became several, the others are
// "<id>#<n>".

// decodeUnit makes the document of one chat, or the account of what is counted.
func decodeUnit(u importer.Unit) ([]importer.Item, error) {
	switch {
	case u.Role == roleBroken:
		return nil, lossless.Fail(u, lossless.CodeSyntax, "a row of a chat is not a JSON object; the rest of the chat is read")
	case u.Role == rolePassed:
		return sqlite.SkipRows(u, "other-rows", "rows of the editor that hold no chats: its windows, checkpoints, settings and account")
	}
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	if src.Root.Kind() != jsonscan.Object {
		return nil, lossless.Fail(u, lossless.CodeForeign, "the chat is not an object")
	}
	if u.Role == roleTab {
		return tab(src)
	}
	return composerChat(u, src)
}

func composerChat(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	info, bubbles := src.Root.Get("composer"), src.Root.Get("bubbles")
	inline, byID := info.Get("conversation"), info.Get("conversationMap")
	if info.Kind() != jsonscan.Object {
		return nil, lossless.Fail(u, lossless.CodeForeign, "the chat has no composer")
	}
	if bubbles.Len() == 0 && inline.Len() == 0 && byID.Len() == 0 {
		return importer.Skipped("empty-chat", "chats in which nobody has said anything yet", 1), nil
	}
	b := localapp.New(composerSchema, src, name, formatComposer)
	b.IDIn(localapp.Space(name), info.Get("composerId").Str())
	b.Title(info.Get("name"))
	b.Created, b.Updated = b.Time(info.Get("createdAt")), b.Time(info.Get("lastUpdatedAt"))
	b.Doc.IsArchived = info.Get("isArchived").True()
	if model := info.Get("modelConfig").Get("modelName"); model.Kind() == jsonscan.String && !model.Is("default") {
		b.Doc.Model = model.Str()
	}
	seen := map[string]bool{}
	add := func(o func() *lossless.Object, n jsonscan.Node) {
		id := n.Get("bubbleId").Str()
		if n.Kind() != jsonscan.Object || id != "" && seen[id] {
			return // a bubble that has a row of its own
		}
		seen[id] = true
		r := bubbleReader{b: b, o: o()}
		r.read(id)
	}
	i := 0
	for n := range bubbles.Items() {
		add(func() *lossless.Object { return b.Item("/bubbles", i, n) }, n)
		i++
	}
	i = 0
	for n := range inline.Items() {
		add(func() *lossless.Object { return b.Item("/composer/conversation", i, n) }, n)
		i++
	}
	for k, n := range byID.Fields() {
		add(func() *lossless.Object { return b.Value("/composer/conversationMap", k.Str(), n) }, n)
	}
	return localapp.Finish(b, nil)
}

// bubbleReader makes the messages of one bubble: the thought, what was said with the call of a
// tool, and its result.
type bubbleReader struct {
	b *lossless.Builder
	o *lossless.Object
}

func (r *bubbleReader) read(id string) {
	n := r.o.Node()
	role := bubbleRole(n.Get("type"))
	if role == "" {
		role = normalize.RoleSystem
		r.b.Unknown("unknown_role")
	}
	part := 0
	add := func(role string) *lossless.Message {
		m := r.o.Add("", role)
		if id != "" {
			m.ID = id + "#" + strconv.Itoa(part)
		}
		part++
		return m
	}
	if text := n.Get("thinking").Get("text"); text.Kind() == jsonscan.String && !text.Is("") {
		m := add(role)
		m.IsThought = true
		m.Text(text.Str())
	}
	main := add(role)
	main.ID = id
	main.Time = r.b.Time(n.Get("createdAt"))
	main.TokenCount = importer.Count(n.Get("tokenCount").Get("outputTokens"))
	if model := n.Get("modelInfo").Get("modelName"); model.Kind() == jsonscan.String && !model.Is("") {
		main.Model = model.Str()
	}
	if text := n.Get("text"); text.Kind() == jsonscan.String && !text.Is("") {
		main.Text(text.Str())
	}
	if tool := n.Get("toolFormerData"); tool.Get("name").Kind() == jsonscan.String && !tool.Get("name").Is("") {
		c := pamio.ToolCall{ID: tool.Get("toolCallId").Str(), Name: tool.Get("name").Str()}
		for _, in := range []jsonscan.Node{tool.Get("rawArgs"), tool.Get("params")} {
			switch {
			case c.Input != nil:
			case in.Kind() == jsonscan.String && !in.Is(""):
				c.Input = toolcall.Argument(in.Str())
			case in.Kind() == jsonscan.Object:
				c.Input = in.AppendCompact(nil)
			}
		}
		main.ToolCalls = []pamio.ToolCall{c}
		if result := tool.Get("result"); result.Kind() == jsonscan.String && !result.Is("") {
			add(normalize.RoleTool).Text(result.Str())
		}
	}
	r.o.Primary(main)
}

func tab(src *lossless.Source) ([]importer.Item, error) {
	root := src.Root
	if root.Get("bubbles").Len() == 0 {
		return importer.Skipped("empty-chat", "chats in which nobody has said anything yet", 1), nil
	}
	b := localapp.New(tabSchema, src, name, formatTab)
	b.IDIn(localapp.Space(name), root.Get("tabId").Str())
	b.Title(root.Get("chatTitle"))
	b.Updated = b.Time(root.Get("lastSendTime"))
	i := -1
	for n := range root.Get("bubbles").Items() {
		i++
		if n.Kind() != jsonscan.Object {
			b.Unknown("unknown_bubble")
			continue
		}
		role := map[string]string{"user": normalize.RoleUser, "ai": normalize.RoleAssistant}[n.Get("type").Str()]
		if role == "" {
			role = normalize.RoleSystem
			b.Unknown("unknown_role")
		}
		m := b.Item("/bubbles", i, n).Add(importer.FirstText(n, "id"), role)
		for _, text := range []jsonscan.Node{n.Get("text"), n.Get("rawText")} {
			if m.Content == nil && text.Kind() == jsonscan.String && !text.Is("") {
				m.Text(text.Str())
			}
		}
		if model := n.Get("modelType"); model.Kind() == jsonscan.String && role == normalize.RoleAssistant {
			m.Model = model.Str()
		}
	}
	return localapp.Finish(b, nil)
}
