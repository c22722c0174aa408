package aistudio

import (
	"path"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeElement makes the conversation of a file.
func decodeElement(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	form := formOf(src.Root)
	if form == "" {
		return nil, lossless.Fail(u, lossless.CodeForeign, "the file is JSON, but no prompt of Google AI Studio: it has neither chunks nor images nor settings")
	}
	beside, _ := u.Context.(files) // a unit without context has no files beside it
	r := &reader{Builder: schemaOf(form).New(src, Provider), dir: path.Dir(u.Member.Name), beside: beside, ids: messageIDs{}, byID: map[string]*lossless.Object{}}
	r.Doc.Provider.ExportFormatVersion = form
	r.settings(src.Root, u.Member.Name)
	switch form {
	case formList:
		r.chunks("", src.Root, false)
	case formImagen:
		r.turns(src.Root.Get("imagenPrompt").Get("imagenTurns"))
	default:
		prompt := src.Root.Get("chunkedPrompt")
		r.chunks(pathChunks, prompt.Get("chunks"), false)
		r.chunks(pathPending, prompt.Get("pendingInputs"), true)
		r.chunks(pathRoot, src.Root.Get("pendingInputs"), true)
	}
	r.branches()
	return r.Items()
}

// formOf tells the form of a file, "" for what is none.
func formOf(root jsonscan.Node) string {
	if root.Kind() == jsonscan.Array {
		for v := range root.Items() {
			if v.Get("role").Kind() == jsonscan.String {
				return formList
			}
		}
		return ""
	}
	if root.Get("imagenPrompt").Kind() == jsonscan.Object && !root.Get("chunkedPrompt").Exists() {
		return formImagen
	}
	if root.Get("chunkedPrompt").Kind() != jsonscan.Object && root.Get("runSettings").Kind() != jsonscan.Object && root.Get("pendingInputs").Kind() != jsonscan.Array {
		return ""
	}
	for v := range root.Get("chunkedPrompt").Get("chunks").Items() {
		if v.Get("id").Kind() == jsonscan.String {
			return formSession
		}
	}
	return formPrompt
}

// reader fills one document.
type reader struct {
	*lossless.Builder
	dir    string
	beside files
	ids    messageIDs
	byID   map[string]*lossless.Object
	all    []*lossless.Object
}

// settings reads what stands around the chunks.
func (r *reader) settings(root jsonscan.Node, member string) {
	if id := root.Get("id"); id.Kind() == jsonscan.String && !id.Is("") {
		r.ID(id.Str())
	} else {
		r.DerivedID(Provider, conversationKey(member, first(root)))
	}
	name := title(member)
	r.Doc.Title = &name
	for _, key := range []string{"title", "displayName"} {
		r.Title(root.Get(key))
	}
	r.Created, r.Updated = r.Time(root.Get("createTime")), r.Time(root.Get("updateTime"))
	if m := root.Get("runSettings").Get("model"); m.Kind() == jsonscan.String {
		r.Doc.Model, _ = model.Read(m)
	}
	r.Doc.SystemInstruction = instruction(root.Get("systemInstruction"))
	if root.Kind() == jsonscan.Object && !root.Get("chunkedPrompt").Exists() && !root.Get("imagenPrompt").Exists() && !root.Get("pendingInputs").Exists() {
		r.Unknown("unknown_prompt")
	}
}

// first is the first chunk or turn of a file.
func first(root jsonscan.Node) jsonscan.Node {
	for _, list := range []jsonscan.Node{root, root.Get("chunkedPrompt").Get("chunks"), root.Get("imagenPrompt").Get("imagenTurns")} {
		for v := range list.Items() {
			return v
		}
	}
	return jsonscan.Node{}
}

// instruction is the text of a system instruction.
func instruction(n jsonscan.Node) string {
	if t := n.Get("text"); t.Kind() == jsonscan.String && !t.Is("") {
		return t.Str()
	}
	out := ""
	for p := range n.Get("parts").Items() {
		out += p.Get("text").Str()
	}
	return out
}

// chunks reads a list of chunks, or of drafts.
func (r *reader) chunks(container string, list jsonscan.Node, draft bool) {
	i := -1
	for n := range list.Items() {
		i++
		if n.Kind() != jsonscan.Object {
			r.Unknown("unknown_chunk")
			continue
		}
		if draft && isEmpty(n) {
			continue
		}
		o := r.Item(container, i, n)
		r.chunk(o, draft)
		r.all = append(r.all, o)
		if id := n.Get("id"); id.Kind() == jsonscan.String && r.byID[id.Str()] == nil {
			r.byID[id.Str()] = o
		}
	}
}

// isEmpty tells whether nothing was typed: the field for the next question always stands in a file.
func isEmpty(n jsonscan.Node) bool {
	for k, v := range n.Fields() {
		switch {
		case k.Is("role"), k.Is("text") && v.Is(""), v.Kind() == jsonscan.Array && v.Len() == 0:
		default:
			return false
		}
	}
	return true
}

// branches links the chunks of a file that holds several versions of an answer. A branch that was
// made into a file of its own names that other file, which says nothing about the chunks of this
// one.
func (r *reader) branches() {
	for _, o := range r.all {
		if p := r.byID[o.Node().Get("branchParent").Get("id").Str()]; p != nil && p != o {
			o.Parent(p)
		}
	}
}

// turns reads the images that were asked for.
func (r *reader) turns(list jsonscan.Node) {
	i := -1
	for n := range list.Items() {
		i++
		if n.Kind() != jsonscan.Object {
			r.Unknown("unknown_turn")
			continue
		}
		o := r.Item(pathTurns, i, n)
		id := r.ids.next(n)
		question := o.Add(id, normalize.RoleUser)
		question.TextOf(n.Get("prompt"))
		if n.Get("generatedImages").Len() > 0 {
			answer := o.Add(id+"#1", normalize.RoleAssistant)
			for image := range n.Get("generatedImages").Items() {
				r.attach(answer, imageOf(image), "image", false)
			}
		}
		o.Primary(question)
	}
}

// imageOf gives the object that describes a generated image; it stands in one or two others.
func imageOf(n jsonscan.Node) jsonscan.Node {
	for _, key := range []string{"image", "driveImage", "inlineImage", "inlineData"} {
		if v := n.Get(key); v.Kind() == jsonscan.Object {
			return v
		}
	}
	return n
}
