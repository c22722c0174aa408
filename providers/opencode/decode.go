package opencode

import (
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
	"github.com/pamline/pamline/providers/sqlite"
)

// The rules of names are frozen: a session is named by its id in the space local/opencode, a
// message by its id; where one became several, the others are "<id>#<n>". All forms of a session
// give the same names.

// formats are the forms by the role of the unit.
var formats = map[string]string{roleSession: formatStorage, roleRow: formatDB, roleExport: formatExport}

// decodeUnit makes the document of one session, or the account of what is counted.
func decodeUnit(u importer.Unit) ([]importer.Item, error) {
	switch u.Role {
	case rolePassed:
		return sqlite.SkipRows(u, "other_table", "a table of the program without messages")
	case roleLost:
		return sqlite.SkipRows(u, "lost-part", "parts of messages that are not in the database any more")
	}
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	info := src.Root.Get("info")
	if info.Kind() != jsonscan.Object || src.Root.Get("messages").Kind() != jsonscan.Array {
		return nil, lossless.Fail(u, lossless.CodeForeign, "the file has no session with a list of messages")
	}
	b := localapp.New(schema, src, name, formats[u.Role])
	b.IDIn(localapp.Space(name), importer.Lexeme(info.Get("id")))
	b.Title(info.Get("title"))
	b.Created = firstTime(b, info.Get("time").Get("created"), info.Get("time_created"))
	b.Updated = firstTime(b, info.Get("time").Get("updated"), info.Get("time_updated"))
	if parent := importer.FirstText(info, "parentID", "parent_id"); parent != "" {
		b.Note("parent", parent)
	}
	b.AddItems("/messages", "unknown_message", func(i int, o *lossless.Object) {
		r := messageReader{b: b, o: o}
		r.read(i)
	})
	return localapp.Finish(b, nil)
}

// firstTime reads the first of some times that is there.
func firstTime(b *lossless.Builder, times ...jsonscan.Node) normalize.Instant {
	for _, t := range times {
		if t.Exists() && !t.IsNull() {
			return b.Time(t)
		}
	}
	return normalize.Epoch
}

// messageReader makes the messages of one message of the program: a new one where a thought, an
// output or a text of the program begins.
type messageReader struct {
	b    *lossless.Builder
	o    *lossless.Object
	role string
	made []*lossless.Message
}

func (r *messageReader) read(at int) {
	info := r.o.Node().Get("info")
	role, known := normalize.Role(info.Get("role").Str())
	if r.role = role; !known {
		r.b.Unknown("unknown_role")
	}
	for p := range r.o.Node().Get("parts").Items() {
		r.part(p)
	}
	var main *lossless.Message
	for _, m := range r.made {
		if m.Role == r.role && !m.IsThought && (main == nil || r.role != normalize.RoleUser) {
			main = m
		}
	}
	if main == nil {
		main = r.message(r.role, false)
	}
	name := importer.Lexeme(info.Get("id"))
	if name == "" {
		name = "message:" + strconv.Itoa(at)
	}
	for i, m := range r.made {
		m.ID = name
		if m != main {
			m.ID += "#" + strconv.Itoa(i)
		}
	}
	main.Time = firstTime(r.b, info.Get("time").Get("created"), info.Get("time_created"))
	main.TokenCount = importer.Count(info.Get("tokens").Get("output"))
	if model := info.Get("modelID"); model.Kind() == jsonscan.String {
		main.Model = model.Str()
	}
	r.o.Primary(main)
}

// message gives the current message if it is of the kind, else a new one.
func (r *messageReader) message(role string, thought bool) *lossless.Message {
	if n := len(r.made); n > 0 && role != normalize.RoleTool && r.made[n-1].Role == role && r.made[n-1].IsThought == thought {
		return r.made[n-1]
	}
	m := r.o.Add("", role)
	m.IsThought = thought
	r.made = append(r.made, m)
	return m
}

// silent are the types of parts without words.
var silent = map[string]bool{
	"step-start": true, "step-finish": true, "snapshot": true, "patch": true, "agent": true, "subtask": true, "retry": true, "compaction": true,
}

func (r *messageReader) part(p jsonscan.Node) {
	text := p.Get("text")
	switch t := p.Get("type"); {
	case t.Is("text") && text.Kind() == jsonscan.String:
		role := r.role
		if p.Get("synthetic").True() && role == normalize.RoleUser {
			role = normalize.RoleSystem
		}
		r.message(role, false).Text(text.Str())
	case t.Is("reasoning") && text.Kind() == jsonscan.String:
		r.message(r.role, true).Text(text.Str())
	case t.Is("tool"):
		r.tool(p)
	case t.Is("file"):
		r.file(p)
	case !silent[t.Str()]:
		r.b.Unknown("unknown_part")
	}
}

func (r *messageReader) tool(p jsonscan.Node) {
	tool, state := p.Get("tool"), p.Get("state")
	if tool.Kind() != jsonscan.String || tool.Is("") {
		r.b.Unknown("unknown_tool_call")
		return
	}
	c := pamio.ToolCall{ID: p.Get("callID").Str(), Name: tool.Str()}
	if in := state.Get("input"); in.Kind() == jsonscan.Object || in.Kind() == jsonscan.String {
		c.Input = in.AppendCompact(nil)
	}
	m := r.message(r.role, false)
	m.ToolCalls = append(m.ToolCalls, c)
	for _, out := range []jsonscan.Node{state.Get("output"), state.Get("error")} {
		if out.Kind() == jsonscan.String {
			r.message(normalize.RoleTool, false).Text(out.Str())
		}
	}
}

// file adds a file. Its bytes, or its address, stay in the part.
func (r *messageReader) file(p jsonscan.Node) {
	a := pamio.Attachment{Type: "file", Name: p.Get("filename").Str(), MimeType: p.Get("mime").Str()}
	if t := importer.MediaType(a.MimeType); t != "" {
		a.Type = t
	} else if a.Name != "" {
		a.Type = importer.NamedType(a.Name)
	}
	m := r.message(r.role, false)
	m.Attachments = append(m.Attachments, a)
}
