package geminicli

import (
	"strconv"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeElement makes the document of one session, or the account of a file that is counted.
func decodeElement(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	switch src.Root.Kind() {
	case jsonscan.Object:
		return object(src)
	case jsonscan.Array:
		return log(src)
	}
	return nil, lossless.Fail(u, lossless.CodeForeign, "the file is neither a session nor the lines of one")
}

// The rules of names are frozen: a session is named by its sessionId in the space local/gemini-cli,
// a message by its id; where one message became several, the others are "<id>#<n>". A message
// without an id is named by its place.

// object makes the document of a session that is one object.
func object(src *lossless.Source) ([]importer.Item, error) {
	b := start(objectSchema, src, src.Root, formatObject)
	i := 0
	for m := range src.Root.Get("messages").Items() {
		addMessage(b, b.Item("/messages", i, m))
		i++
	}
	return localapp.Finish(b, nil)
}

func start(s *lossless.Schema, src *lossless.Source, meta jsonscan.Node, format string) *lossless.Builder {
	b := localapp.New(s, src, sourceApp, format)
	id := meta.Get("sessionId")
	b.IDIn(localapp.Space(sourceApp), id.Str())
	b.Created = b.Time(meta.Get("startTime"))
	b.Updated = b.Time(meta.Get("lastUpdated"))
	if title := meta.Get("summary"); len(title.Raw()) <= maxTitle {
		b.Title(title)
	}
	return b
}

// maxTitle bounds a title, in bytes of JSON.
const maxTitle = 2000

// log makes the document of a session that is a log.
func log(src *lossless.Source) ([]importer.Item, error) {
	var meta jsonscan.Node
	last := map[string]int{} // by id: the line that counts
	rewound := false
	i := 0
	for line := range src.Root.Items() {
		if id := line.Get("id"); isMessage(line) && id.Kind() == jsonscan.String {
			last[id.Str()] = i
		}
		if !meta.Exists() && line.Get("sessionId").Kind() == jsonscan.String {
			meta = line
		}
		rewound = rewound || line.Get("$rewindTo").Exists()
		i++
	}
	b := start(logSchema, src, meta, formatLog)
	type placed struct {
		id string
		o  *lossless.Object
	}
	var thread []placed
	i = -1
	for line := range src.Root.Items() {
		i++
		set := line.Get("$set")
		if t := set.Get("lastUpdated"); t.Exists() {
			b.Updated = localapp.Newest(b.Updated, b.Time(t))
		}
		if title := set.Get("summary"); title.Kind() == jsonscan.String && len(title.Raw()) <= maxTitle {
			b.Title(title)
		}
		if to := line.Get("$rewindTo"); to.Kind() == jsonscan.String {
			at := 0 // a message that is not there takes all back
			for k := range thread {
				if thread[k].id == to.Str() {
					at = k
				}
			}
			thread = thread[:at]
			continue
		}
		if !isMessage(line) {
			if !set.Exists() && !line.Get("sessionId").Exists() {
				b.Unknown("unknown_line")
			}
			continue
		}
		id := line.Get("id").Str()
		if n, named := last[id]; named && n != i {
			continue // an earlier state of a message
		}
		o := b.Item("", i, line)
		addMessage(b, o)
		if rewound {
			if len(thread) > 0 {
				o.Parent(thread[len(thread)-1].o)
			} else {
				o.Root()
			}
			thread = append(thread, placed{id, o})
		}
	}
	return localapp.Finish(b, nil)
}

// isMessage tells whether a line is a state of a message.
func isMessage(line jsonscan.Node) bool {
	return line.Get("type").Kind() == jsonscan.String && (line.Get("content").Exists() || line.Get("toolCalls").Exists() || line.Get("thoughts").Exists())
}

// roleNames are the roles of messages by their type.
var roleNames = map[string]string{"user": "user", "gemini": "assistant", "info": "system", "error": "system", "warning": "system"}

// addMessage makes the messages of one object: the thoughts, what was said with the calls of tools,
// and their outputs.
func addMessage(b *lossless.Builder, o *lossless.Object) {
	n := o.Node()
	if n.Kind() != jsonscan.Object {
		return
	}
	role := roleNames[n.Get("type").Str()]
	if role == "" {
		role = "system"
		b.Unknown("unknown_role")
	}
	id := n.Get("id").Str()
	part := 0
	add := func(role string) *lossless.Message {
		m := o.Add("", role)
		if id != "" {
			m.ID = id + "#" + strconv.Itoa(part)
		}
		part++
		return m
	}
	if thoughts := n.Get("thoughts"); thoughts.Len() > 0 && thoughts.Kind() == jsonscan.Array {
		m := add("assistant")
		m.IsThought = true
		for t := range thoughts.Items() {
			for k, v := range t.Fields() {
				if (k.Is("subject") || k.Is("description")) && v.Kind() == jsonscan.String {
					m.Text(v.Str())
				}
			}
		}
	}
	main := add(role)
	main.ID = id
	main.Time = b.Time(n.Get("timestamp"))
	main.TokenCount = importer.Count(n.Get("tokens").Get("output"))
	if model := n.Get("model"); model.Kind() == jsonscan.String {
		main.Model = model.Str()
	}
	content(b, main, n.Get("content"))
	for call := range n.Get("toolCalls").Items() {
		addCall(b, main, call)
	}
	for call := range n.Get("toolCalls").Items() {
		for r := range call.Get("result").Items() {
			response := r.Get("functionResponse").Get("response")
			for _, key := range []string{"output", "error"} {
				if out := response.Get(key); out.Kind() == jsonscan.String {
					add("tool").Text(out.Str())
				}
			}
		}
	}
	o.Primary(main)
}

// content adds what a message says: a text, a part or a list of parts.
func content(b *lossless.Builder, m *lossless.Message, n jsonscan.Node) {
	switch n.Kind() {
	case jsonscan.String:
		m.Text(n.Str())
	case jsonscan.Object:
		addPart(b, m, n)
	case jsonscan.Array:
		for p := range n.Items() {
			addPart(b, m, p)
		}
	}
}

func addPart(b *lossless.Builder, m *lossless.Message, p jsonscan.Node) {
	switch text, data := p.Get("text"), p.Get("inlineData"); {
	case text.Kind() == jsonscan.String:
		m.Text(text.Str())
	case data.Kind() == jsonscan.Object:
		a := pamio.Attachment{Type: "file"}
		if mime := data.Get("mimeType"); mime.Kind() == jsonscan.String {
			a.MimeType = mime.Str()
			if t := importer.MediaType(a.MimeType); t != "" {
				a.Type = t
			}
		}
		m.Attachments = append(m.Attachments, a)
	case p.Get("fileData").Exists(), p.Get("functionCall").Exists(), p.Get("functionResponse").Exists():
	default:
		b.Unknown("unknown_part")
	}
}

func addCall(b *lossless.Builder, m *lossless.Message, call jsonscan.Node) {
	name := call.Get("name")
	if name.Kind() != jsonscan.String || name.Is("") {
		b.Unknown("unknown_tool_call")
		return
	}
	c := pamio.ToolCall{ID: call.Get("id").Str(), Name: name.Str()}
	if in := call.Get("args"); in.Kind() == jsonscan.Object || in.Kind() == jsonscan.String {
		c.Input = in.AppendCompact(nil)
	}
	m.ToolCalls = append(m.ToolCalls, c)
}
