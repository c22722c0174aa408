package ollama

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
	"github.com/pamline/pamline/providers/sqlite"
	"github.com/pamline/pamline/providers/toolcall"
)

// decodeUnit makes the items of one unit.
func decodeUnit(u importer.Unit) ([]importer.Item, error) {
	switch u.Role {
	case rolePassed:
		return passed(u)
	case roleLost:
		return sqlite.SkipRows(u, "lost_row", "tool calls and attachments of messages that are not in the database any more")
	}
	return chat(u)
}

// passed counts the rows of a table that is not kept.
func passed(u importer.Unit) ([]importer.Item, error) {
	table, rows, err := sqlite.PassedTable(u)
	if err != nil {
		return nil, err
	}
	switch table {
	case "settings":
		return importer.Skipped("settings", "the settings of the app: its windows, its models, the id of the device", rows), nil
	case "users":
		return importer.Skipped("account", "the account that the app is signed in with", rows), nil
	case "sqlite_sequence":
		return importer.Skipped("other_table", "the counters of the database", rows), nil
	}
	return importer.Skipped("other_table", "a table of the app without messages", rows), nil
}

// chat makes the document of a chat. Files that lie in the database become assets, and their bytes
// are not in the document.
func chat(u importer.Unit) ([]importer.Item, error) {
	files, raw := takeFiles(u)
	u.Raw = raw
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	root := src.Root
	if root.Get("messages").Kind() != jsonscan.Array && !root.Get("title").Exists() {
		return nil, lossless.Fail(u, "not_a_conversation", "the row has neither a title nor messages")
	}
	b := localapp.New(schema, src, "ollama", "db.sqlite")
	b.IDIn(space, importer.Lexeme(root.Get("id")))
	b.Title(root.Get("title"))
	b.Created = b.Time(root.Get("created_at"))
	b.AddItems("/messages", "message_is_no_object", func(_ int, o *lossless.Object) {
		message(b, o, files)
	})
	items, err := localapp.Finish(b, nil)
	if err != nil {
		return nil, err
	}
	for _, i := range items {
		n := min(len(files), i.Conversation.Loss.Raw)
		i.Conversation.Loss.Raw -= n
		i.Conversation.Loss.Asset += n
	}
	return items, nil
}

func message(b *lossless.Builder, o *lossless.Object, files map[string][]byte) {
	n := o.Node()
	role := b.Role(strings.ToLower(n.Get("role").Str()))
	id := importer.Lexeme(n.Get("id"))
	if thinking := n.Get("thinking"); thinking.Kind() == jsonscan.String && thinking.Str() != "" {
		t := o.Add("", role)
		if id != "" {
			t.ID = id + "#0"
		}
		t.IsThought = true
		t.Text(thinking.Str())
	}
	m := o.Add(id, role)
	m.TextOf(n.Get("content"))
	m.Model = n.Get("model_name").Str()
	m.Time = b.Time(n.Get("created_at"))
	for c := range n.Get("tool_calls").Items() {
		name := c.Get("function_name").Str()
		if name == "" {
			b.Unknown("call_without_name")
			continue
		}
		call := pamio.ToolCall{Name: name}
		if a := c.Get("function_arguments"); a.Kind() == jsonscan.String {
			call.Input = toolcall.Argument(a.Str())
		}
		if r := c.Get("function_result"); r.Kind() == jsonscan.String {
			result := r.Str()
			call.Output = &result
		}
		m.ToolCalls = append(m.ToolCalls, call)
	}
	for f := range n.Get("attachments").Items() {
		a := pamio.Attachment{Type: "file", Name: f.Get("filename").Str()}
		if data, ok := files[f.Get("data").Get(keyAsset).Str()]; ok {
			a.Ref, a.MimeType = b.Asset(data)
			size := int64(len(data))
			a.SizeBytes = &size
		} else {
			b.Anomalies[importer.AnomalyAssetMissing]++
		}
		for _, kind := range []string{"image", "audio", "video"} {
			if strings.HasPrefix(a.MimeType, kind+"/") {
				a.Type = kind
			}
		}
		m.Attachments = append(m.Attachments, a)
	}
}

// keyAsset stands in raw_metadata in the place of the bytes of a file: its name in the bundle.
const keyAsset = "$asset"

// takeFiles takes the bytes of the attachments out of a unit, by their names in the bundle.
func takeFiles(u importer.Unit) (files map[string][]byte, raw []byte) {
	doc, err := jsonscan.Parse(u.Raw, u.Limits.WithDefaults().MaxDepth)
	if err != nil {
		return nil, u.Raw // whoever parses it again reports it
	}
	var patches []normalize.Patch
	files = map[string][]byte{}
	i := 0
	for m := range doc.Root().Get("messages").Items() {
		j := 0
		for a := range m.Get("attachments").Items() {
			if data, err := base64.StdEncoding.DecodeString(a.Get("data").Get("$blob").Str()); err == nil && len(data) > 0 {
				asset, _ := importer.NewAsset(data)
				files[asset.Ref] = data
				patches = append(patches, normalize.Patch{
					Path:  "/messages/" + strconv.Itoa(i) + "/attachments/" + strconv.Itoa(j) + "/data",
					Value: append(pamio.AppendString([]byte(`{"`+keyAsset+`":`), asset.Ref), '}'),
				})
			}
			j++
		}
		i++
	}
	if len(patches) == 0 {
		return files, u.Raw
	}
	return files, normalize.AppendOverlay(nil, doc.Root(), patches)
}
