package deepseek

import (
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

func decodeConversation(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	root := src.Root
	mapping := root.Get("mapping")
	if mapping.Kind() != jsonscan.Object {
		return nil, lossless.Fail(u, "not_a_conversation", "the element has no tree of messages; the other elements of the list are not affected")
	}
	generation := recognize(root)
	b := schemas[generation].New(src, provider)
	b.Doc.Provider.ExportFormatVersion = generation
	nameConversation(b, root)
	if j, _ := u.Context.(*joined); j != nil {
		b.Doc.Provider.AccountID = j.account(u.Member.Name)
	}
	b.Title(root.Get("title"))
	b.Created = b.Time(either(root, "inserted_at", "create_time"))
	b.Updated = b.Time(either(root, "updated_at", "update_time"))
	b.Doc.IsArchived = root.Get("is_archived").True()

	type entry struct {
		key    string
		node   jsonscan.Node
		object *lossless.Object
	}
	var entries []entry
	byID := map[string]*lossless.Object{}
	for k, node := range mapping.Fields() {
		if node.Kind() != jsonscan.Object {
			b.Unknown("not_a_node")
			continue
		}
		e := entry{k.Str(), node, b.Value("/mapping", k.Str(), node)}
		addMessages(b, e.object, e.key)
		entries = append(entries, e)
		byID[e.key] = e.object
	}
	// A node that does not name its parent hangs on the one that names it.
	listed := map[string]*lossless.Object{}
	for _, e := range entries {
		for c := range e.node.Get("children").Items() {
			if id := c.Str(); listed[id] == nil {
				listed[id] = e.object
			}
		}
	}
	for _, e := range entries {
		switch parent := e.node.Get("parent"); {
		case parent.Kind() == jsonscan.String && parent.Str() != e.key:
			e.object.Parent(byID[parent.Str()])
		case !parent.Exists() && listed[e.key] != nil && listed[e.key] != e.object:
			e.object.Parent(listed[e.key])
			b.Anomalies["parent_from_children"]++
		default:
			e.object.Root()
		}
	}
	return b.Items()
}

// either is the value of the first key, or of the second where the first is missing.
func either(n jsonscan.Node, first, second string) jsonscan.Node {
	if v := n.Get(first); v.Exists() {
		return v
	}
	return n.Get(second)
}

// kinds are the messages that fragments become. Fragments of a search or a tool have not been
// described by anybody: they become messages of the system, which are never taken for something
// that was said, and are counted.
var kinds = map[string]struct {
	role    string
	thought bool
}{
	"REQUEST":  {normalize.RoleUser, false},
	"THINK":    {normalize.RoleAssistant, true},
	"RESPONSE": {normalize.RoleAssistant, false},
}

// piece is what becomes a message: the texts of fragments of one type that follow each other.
type piece struct {
	role    string
	thought bool
	texts   []string
}

// addMessages makes the messages of a node: one for each run of fragments of a type. The last
// answer, else the last of all, has the node's id.
func addMessages(b *lossless.Builder, o *lossless.Object, key string) {
	message := o.Node().Get("message")
	if message.Kind() != jsonscan.Object {
		if key != rootNode {
			b.Anomalies["node_without_message"]++
		}
		return
	}
	for k := range message.Fields() {
		if name := k.Str(); !knownInMessage[name] && !normalize.IsRenamed(name) {
			b.Unknown("unknown_key")
		}
	}
	pieces := piecesOf(b, message)
	primary := len(pieces) - 1
	for i, p := range pieces {
		if !p.thought && p.role == normalize.RoleAssistant {
			primary = i
		}
	}
	id := o.Node().Get("id").Str()
	if id == "" {
		id = key
	}
	n := 0
	for i, p := range pieces {
		name := id
		if i != primary && id != "" {
			name = id + "#" + strconv.Itoa(n)
			n++
		}
		m := o.Add(name, p.role)
		m.IsThought = p.thought
		for _, text := range p.texts {
			m.Text(text)
		}
		if i != primary {
			continue
		}
		o.Primary(m)
		m.Time = b.Time(message.Get("inserted_at"))
		if p.role == normalize.RoleAssistant {
			m.Model = message.Get("model").Str()
		}
		m.Attachments = attachments(b, message.Get("files"))
	}
}

func piecesOf(b *lossless.Builder, message jsonscan.Node) []piece {
	list := message.Get("fragments")
	if list.Kind() != jsonscan.Array || list.Len() == 0 {
		return []piece{older(b, message)}
	}
	var out []piece
	last := ""
	for f := range list.Items() {
		name := f.Get("type").Str()
		kind, known := kinds[name]
		if !known {
			b.Unknown("unknown_fragment")
			kind.role = normalize.RoleSystem
		}
		if name != last || len(out) == 0 {
			out = append(out, piece{role: kind.role, thought: kind.thought})
		}
		last = name
		if text := f.Get("content"); text.Kind() == jsonscan.String {
			p := &out[len(out)-1]
			p.texts = append(p.texts, text.Str())
		}
	}
	return out
}

// older reads a message of one text, and one without any, which a stopped answer leaves behind.
func older(b *lossless.Builder, message jsonscan.Node) piece {
	p := piece{role: normalize.RoleAssistant}
	if role := message.Get("role"); role.Kind() == jsonscan.String {
		var known bool
		if p.role, known = normalize.Role(strings.ToLower(role.Str())); !known {
			b.Unknown("unknown_role")
		}
	} else {
		b.Anomalies["no_role"]++
	}
	if text := message.Get("content"); text.Kind() == jsonscan.String {
		p.texts = append(p.texts, text.Str())
	}
	return p
}

// attachments names the files of a message. The export has none of them.
func attachments(b *lossless.Builder, files jsonscan.Node) []pamio.Attachment {
	var out []pamio.Attachment
	for f := range files.Items() {
		a := pamio.Attachment{Type: "document", ProviderID: f.Get("id").Str(), Name: either(f, "file_name", "name").Str()}
		if f.Kind() == jsonscan.String {
			a.ProviderID = f.Str()
		}
		a.SizeBytes = importer.Count(either(f, "file_size", "size"))
		if a.ProviderID == "" && a.Name == "" {
			b.Unknown("unknown_file")
			continue
		}
		b.Anomalies[importer.AnomalyAssetMissing]++
		out = append(out, a)
	}
	return out
}
