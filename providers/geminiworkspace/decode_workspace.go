package geminiworkspace

import (
	"path"
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

func decodeWorkspace(u importer.Unit) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	root := src.Root
	turns := root.Get("conversation_turns")
	if turns.Kind() != jsonscan.Array && !root.Get("creation_time").Exists() {
		return nil, lossless.Fail(u, lossless.CodeForeign, "the file is JSON, but no conversation of Gemini in Workspace: it has no turns")
	}
	beside, _ := u.Context.(images) // a unit without context has no images beside it
	r := &reader{Builder: schema.New(src, Provider), beside: beside, dir: path.Dir(u.Member.Name), ids: turnIDs{}, used: map[string]int{}, latest: map[string]*lossless.Object{}}
	r.Doc.Provider.ExportFormatVersion = formatWorkspace
	nameWorkspace(r.Builder, u.Member.Name, root)
	r.Title(root.Get("title"))
	r.Created, r.Updated = r.Time(root.Get("creation_time")), r.Time(root.Get("last_modification_time"))
	i := -1
	for n := range turns.Items() {
		i++
		if n.Kind() != jsonscan.Object {
			r.Unknown("unknown_turn")
			continue
		}
		r.turn(i, n)
	}
	if r.repeated {
		r.link()
	}
	return r.Items()
}

// reader fills one document.
type reader struct {
	*lossless.Builder
	beside images
	dir    string
	ids    turnIDs
	used   map[string]int // images that were given to a turn, by turn

	turns    []turn
	repeated bool // a turn was given again
	latest   map[string]*lossless.Object
}

// turn is a turn that became messages.
type turn struct {
	object *lossless.Object
	kind   string
	index  int64
	known  bool // the index
}

// The kinds of turns, which are part of messages' ids.
const (
	kindUser  = "user"
	kindModel = "model"
	kindOther = "other"
)

func (r *reader) turn(i int, n jsonscan.Node) {
	o := r.Item(pathTurns, i, n)
	kind, body := kindOther, jsonscan.Node{}
	switch {
	case n.Get("user_turn").Kind() == jsonscan.Object:
		kind, body = kindUser, n.Get("user_turn")
	case n.Get("system_turn").Kind() == jsonscan.Object:
		kind, body = kindModel, n.Get("system_turn")
	}
	index := importer.CountOrText(body.Get("turn_index"))
	t := turn{object: o, kind: kind}
	name := "x" + strconv.Itoa(i) // of a turn without an index, by its place
	if index != nil {
		t.index, t.known = *index, true
		name = strconv.FormatInt(*index, 10)
	}
	id := r.ids.next(kind, name)
	r.repeated = r.repeated || t.known && r.ids[kind+"-"+name] > 1
	var m *lossless.Message
	switch kind {
	case kindUser:
		m = o.Add(id, normalize.RoleUser)
		m.TextOf(body.Get("prompt"))
		if n.Get("system_turn").Exists() {
			r.Unknown("turn_of_both")
		}
	case kindModel:
		r.thoughts(o, id, body.Get("model_thoughts"))
		m = o.Add(id, normalize.RoleAssistant)
		r.answer(m, body.Get("text"))
		r.images(m, body.Get("images"), name)
	default:
		r.Unknown("unknown_turn")
		m = o.Add(id, normalize.RoleSystem)
	}
	o.Primary(m)
	m.Time = r.Time(body.Get("turn_last_modified"))
	if d := body.Get("turn_deleted_time"); d.Exists() && !d.IsNull() {
		m.NoteJSON("deleted", []byte("true"))
	}
	r.turns = append(r.turns, t)
}

// thoughts makes one message of all that was thought before an answer.
func (r *reader) thoughts(o *lossless.Object, id string, list jsonscan.Node) {
	var m *lossless.Message
	for n := range list.Items() {
		for _, key := range []string{"headline", "description"} {
			t := n.Get(key)
			if t.Kind() != jsonscan.String {
				continue
			}
			if m == nil {
				m = o.Add(id+"#0", normalize.RoleAssistant)
				m.IsThought = true
			}
			m.Text(t.Str())
		}
	}
}

// answer reads the blocks of an answer: texts, and cards.
func (r *reader) answer(m *lossless.Message, blocks jsonscan.Node) {
	if blocks.Kind() == jsonscan.String {
		m.Text(blocks.Str())
		r.Unknown("unknown_text")
		return
	}
	text := func(n jsonscan.Node) {
		m.TextOf(n)
	}
	for b := range blocks.Items() {
		text(b.Get("preamble"))
		text(b.Get("data"))
		for c := range b.Get("cards").Items() {
			text(c.Get("content"))
		}
		if b.Kind() != jsonscan.Object || !b.Get("data").Exists() && !b.Get("cards").Exists() {
			r.Unknown("unknown_block")
		}
	}
}

// images attaches the images of a turn. They stand beside the file, named by its id, the turn and a
// number; a turn that was given again goes on counting.
func (r *reader) images(m *lossless.Message, list jsonscan.Node, index string) {
	files := r.beside[imageKey(r.dir, r.Doc.Provider.ConversationID, index)]
	for n := range list.Items() {
		a := pamio.Attachment{Type: "image"}
		if n.Kind() == jsonscan.String {
			a.ProviderID = n.Str()
		}
		if k := r.used[index]; k < len(files) {
			a.Ref = importer.MemberRef(files[k].member)
		} else {
			r.Anomalies[importer.AnomalyAssetMissing]++
		}
		r.used[index]++
		m.Attachments = append(m.Attachments, a)
	}
}

// link hangs each turn on the one that it answers. A turn that was given again is a sibling of the
// one before: an answer hangs on the newest question of its index or of the one before, a question
// on the newest answer of the index before.
func (r *reader) link() {
	var before *lossless.Object
	for _, t := range r.turns {
		var parent *lossless.Object
		if t.known {
			if t.kind == kindModel {
				parent = r.latest[key(kindUser, t.index)]
			}
			if parent == nil && t.kind == kindModel {
				parent = r.latest[key(kindUser, t.index-1)]
			}
			if t.kind == kindUser {
				parent = r.latest[key(kindModel, t.index-1)]
			}
		}
		switch {
		case parent != nil:
			t.object.Parent(parent)
		case t.kind == kindUser && t.known && r.latest[key(kindUser, t.index)] != nil:
			t.object.Root() // the first question in other words
		case before != nil:
			t.object.Parent(before)
		default:
			t.object.Root()
		}
		if t.known {
			r.latest[key(t.kind, t.index)] = t.object
		}
		before = t.object
	}
}

func key(kind string, index int64) string { return kind + strconv.FormatInt(index, 10) }
