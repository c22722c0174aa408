package gpt4all

import (
	"encoding/base64"

	"path"
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeUnit makes the document of one chat.
func decodeUnit(u importer.Unit) ([]importer.Item, error) {
	files, err := takeFiles(&u)
	if err != nil {
		return nil, err
	}
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	root := src.Root
	if root.Kind() != jsonscan.Object || root.Get("items").Kind() != jsonscan.Array {
		return nil, lossless.Fail(u, "not_a_conversation", "the file has no list of messages")
	}
	b := localapp.New(schema, src, app, "chat-"+string(root.Get("version").Raw()))
	name(b)
	b.Title(root.Get("name"))
	b.Created = b.Time(root.Get("creationDate"))
	b.Doc.Model = root.Get("modelId").Str()
	if root.Get("bytesBehindTheEnd").Exists() {
		b.Unknown("bytes_behind_the_end")
	}
	for _, f := range files {
		f.ref, f.mime = b.Asset(f.data)
	}
	b.AddItems("/items", "unknown_message", func(i int, o *lossless.Object) {
		message(b, o, i, files)
	})
	items, err := localapp.Finish(b, nil)
	if n, bad := strconv.Atoi(string(root.Get("stateBytes").Raw())); err == nil && bad == nil && n > 0 {
		items = append(items, importer.Item{Skip: &importer.Skip{
			Code: "model_state", Reason: "the state that the model needs to go on is no part of the conversation; its size is kept", Count: 1,
		}})
	}
	return items, err
}

// file is a file that stands inside a chat.
type file struct {
	data      []byte
	ref, mime string
}

// key is where a file stands: the indexes of its item and of itself.
type key struct{ item, index int }

// takeFiles takes the contents of files out of the unit, which then has their names in the bundle
// in their place.
func takeFiles(u *importer.Unit) (map[key]*file, error) {
	d, err := jsonscan.Parse(u.Raw, u.Limits.WithDefaults().MaxDepth)
	if err != nil {
		return nil, syntax(*u, err)
	}
	files := map[key]*file{}
	var patches []normalize.Patch
	i := -1
	for item := range d.Root().Get("items").Items() {
		i++
		k := -1
		for a := range item.Get("promptAttachments").Items() {
			k++
			content := a.Get("content")
			if content.Kind() != jsonscan.String || content.Str() == "" || a.Odd() {
				continue
			}
			data, err := base64.StdEncoding.DecodeString(content.Str())
			if err != nil {
				continue // not ours; it stays as it is
			}
			asset, _ := importer.NewAsset(data)
			files[key{i, k}] = &file{data: data}
			patches = append(patches, normalize.Patch{
				Path:  "/items/" + strconv.Itoa(i) + "/promptAttachments/" + strconv.Itoa(k) + "/content",
				Value: pamio.AppendString(nil, asset.Ref),
			})
		}
	}
	if len(patches) > 0 && d.Root().Flags()&(jsonscan.DuplicateKey|jsonscan.BadUTF8) == 0 {
		u.Raw = normalize.AppendOverlay(nil, d.Root(), patches)
	}
	return files, nil
}

// syntax is the error about JSON that cannot be parsed, as lossless.Parse has it.
func syntax(u importer.Unit, err error) error {
	if _, bad := lossless.Parse(u); bad != nil {
		return bad
	}
	return err
}

// message writes the messages of one item.
func message(b *lossless.Builder, o *lossless.Object, i int, files map[key]*file) {
	item := o.Node()
	role := normalize.RoleSystem
	switch item.Get("name").Str() {
	case itemPrompt:
		role = normalize.RoleUser
	case itemResponse:
		role = normalize.RoleAssistant
	case itemSystem:
	default:
		b.Unknown("unknown_role")
	}
	turn := localapp.NewTurn(o, role)
	led := false
	for part := range item.Get("subItems").Items() {
		subItem(b, turn, part, 0)
		led = true
	}
	if v := item.Get("value"); v.Kind() == jsonscan.String && (v.Str() != "" || !led) {
		turn.Say().Text(v.Str())
	}
	answer, _ := turn.End(messageID(i))
	k := 0
	for a := range item.Get("promptAttachments").Items() {
		if at := attachment(a, files[key{i, k}]); at.Name != "" || at.Ref != "" {
			answer.Attachments = append(answer.Attachments, at)
		}
		k++
	}
	for s := range item.Get("sources").Items() {
		c := pamio.Citation{Title: s.Get("title").Str(), Snippet: s.Get("text").Str()}
		if c.Title == "" {
			c.Title = s.Get("file").Str()
		}
		if c.Title != "" || c.Snippet != "" {
			answer.Citations = append(answer.Citations, c)
		}
	}
}

// subItem reads a part of an answer, and those in it.
func subItem(b *lossless.Builder, turn *localapp.Turn, part jsonscan.Node, depth int) {
	value := part.Get("value")
	kind := part.Get("name").Str()
	switch kind {
	case partThink:
		turn.Think().Text(value.Str())
	case partToolResponse:
		turn.Result().Text(value.Str())
	case partToolCall:
		call(b, turn, part)
	case partText, itemResponse:
	default:
		b.Unknown("unknown_content")
	}
	if depth < maxSubDepth {
		for p := range part.Get("subItems").Items() {
			subItem(b, turn, p, depth+1)
		}
	}
	if (kind == partText || kind == itemResponse) && value.Str() != "" {
		turn.Say().Text(value.Str())
	}
}

// call is the call of a tool. Its value is the text that the model wrote for it, its result the
// message behind it.
func call(b *lossless.Builder, turn *localapp.Turn, part jsonscan.Node) {
	c := pamio.ToolCall{Name: part.Get("toolName").Str()}
	if c.Name == "" {
		turn.Say()
		b.Unknown("unknown_content")
		return
	}
	if v := part.Get("value"); v.Kind() == jsonscan.String {
		c.Input = v.AppendCompact(nil)
	}
	said := turn.Say()
	said.ToolCalls = append(said.ToolCalls, c)
}

func attachment(a jsonscan.Node, f *file) pamio.Attachment {
	out := pamio.Attachment{Type: "document"}
	if url := a.Get("url").Str(); url != "" {
		out.Name = path.Base(url)
	}
	if f != nil {
		size := int64(len(f.data))
		out.Ref, out.MimeType, out.SizeBytes = f.ref, f.mime, &size
	}
	return out
}
