package grok

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// turn is a response with what orders it.
type turn struct {
	at   int
	node jsonscan.Node // with the object around it, if there is one
	body jsonscan.Node
	time normalize.Instant
	// key is the time that it is sorted by: its own, else that of the response before it in the
	// list.
	key normalize.Instant
}

func decodeConversation(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	conversation, responses := src.Root.Get("conversation"), src.Root.Get("responses")
	if conversation.Kind() != jsonscan.Object && responses.Kind() != jsonscan.Array {
		return nil, lossless.Fail(u, "not_a_conversation", "the element has neither a conversation nor responses; the other elements of the list are not affected")
	}
	f := recognize(conversation, responses)
	b := schemas[f.String()].New(src, provider)
	b.Doc.Provider.ExportFormatVersion = f.String()
	nameConversation(b, conversation, responses)
	b.Doc.Provider.AccountID = conversation.Get("user_id").Str()
	b.Title(conversation.Get("title"))
	b.Created = b.Time(conversation.Get("create_time"))
	b.Updated = b.Time(conversation.Get("modify_time"))
	countUnknown(b, conversation, knownConversation)

	files, _ := u.Context.(*joined)
	c := &reader{b: b, form: f, files: files}
	c.read(sorted(b, responses))
	return b.Items()
}

// sorted gives the responses by time, those of one time as the list has them.
func sorted(b *lossless.Builder, responses jsonscan.Node) []turn {
	var out []turn
	i := -1
	key := normalize.Epoch
	for r := range responses.Items() {
		i++
		if r.Kind() != jsonscan.Object {
			b.Unknown("not_a_response")
			continue
		}
		t := turn{at: i, node: r, body: body(r)}
		if t.time = b.Time(t.body.Get("create_time")); t.time != normalize.Epoch {
			key = t.time
		}
		t.key = key
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(x, y turn) int { return x.key.Compare(y.key) })
	return out
}

// reader makes the messages of one conversation.
type reader struct {
	b     *lossless.Builder
	form  form
	files *joined

	objects []*lossless.Object
	byID    map[string]*lossless.Object
	models  map[*lossless.Object]string // requested by a turn of the person
}

func (c *reader) read(turns []turn) {
	c.byID, c.models = map[string]*lossless.Object{}, map[*lossless.Object]string{}
	roles := make([]string, len(turns))
	for i, t := range turns {
		id := t.body.Get(c.form.id).Str()
		o := c.b.Item("/responses", t.at, t.node)
		roles[i] = c.role(t.body.Get("sender"))
		c.message(o, t, id, roles[i])
		c.objects = append(c.objects, o)
		if id != "" && c.byID[id] == nil {
			c.byID[id] = o
		}
	}
	c.link(turns, roles)
	c.requested(turns, roles)
}

// role is the role of a sender: people are "human" or, in what other programs write, "user"; all
// others are names of the assistant or of a model. A response without a sender is counted.
func (c *reader) role(sender jsonscan.Node) string {
	switch s := sender.Str(); {
	case strings.EqualFold(s, "human"), strings.EqualFold(s, "user"):
		return normalize.RoleUser
	case s == "":
		c.b.Unknown("no_sender")
	case strings.EqualFold(s, "system"):
		return normalize.RoleSystem
	case strings.EqualFold(s, "tool"):
		return normalize.RoleTool
	}
	return normalize.RoleAssistant
}

func (c *reader) message(o *lossless.Object, t turn, id, role string) {
	for i, texts := range thoughts(t.body) {
		name := ""
		if id != "" {
			name = id + "#" + strconv.Itoa(i)
		}
		m := o.Add(name, normalize.RoleAssistant)
		m.IsThought = true
		for _, text := range texts {
			m.Text(text)
		}
	}
	m := o.Add(id, role)
	m.Time = t.time
	m.TextOf(t.body.Get("message"))
	if role == normalize.RoleAssistant {
		m.Model = t.body.Get("model").Str()
	}
	cards := readCards(c.b, t.body)
	m.Citations = citations(t.body, cards)
	m.Attachments = c.attachments(t.body, cards)
	for _, flag := range []string{"partial", "is_control"} {
		if t.body.Get(flag).True() {
			c.b.Anomalies[flag]++
		}
	}
	if e := t.body.Get("error"); e.Exists() && !e.IsNull() && !e.Is("") {
		c.b.Anomalies["failed_response"]++
	}
	countUnknown(c.b, t.body, knownResponse)
}

// link hangs each response on the one it names. One that is not in the conversation is replaced by
// the response before, which is counted. A null declares a beginning, but an answer is never one.
// Where no response names another that is there, the list is the order and nothing is linked.
func (c *reader) link(turns []turn, roles []string) {
	named := func(i int) *lossless.Object {
		if p := c.byID[turns[i].body.Get("parent_response_id").Str()]; p != c.objects[i] {
			return p
		}
		return nil
	}
	linked := false
	for i := range turns {
		linked = linked || named(i) != nil
	}
	for i, o := range c.objects {
		declared := turns[i].body.Get("parent_response_id")
		dangling := declared.Exists() && !declared.IsNull() && !declared.Is("")
		parent := named(i)
		switch {
		case !linked:
			if dangling {
				c.b.Anomalies["linear_fallback"]++
			}
		case parent != nil:
			o.Parent(parent)
		case i == 0 && !dangling, declared.Exists() && !dangling && roles[i] == normalize.RoleUser:
			o.Root()
		case i == 0:
			o.Parent(nil)
		default:
			c.b.Anomalies["linear_fallback"]++
			o.Parent(c.objects[i-1])
		}
	}
}

// requested gives answers without a model the one that the turn of the person before them asked
// for: the generation of 2025 names it there alone.
func (c *reader) requested(turns []turn, roles []string) {
	model := ""
	for i, t := range turns {
		o := c.objects[i]
		if roles[i] == normalize.RoleUser {
			model = t.body.Get("metadata").Get("requestModelDetails").Get("modelId").Str()
			c.models[o] = model
			continue
		}
		asked := model
		if p := c.byID[t.body.Get("parent_response_id").Str()]; p != nil {
			asked = c.models[p]
		}
		messages := o.Messages()
		if m := messages[len(messages)-1]; m.Model == "" && !t.body.Get("model").Exists() && roles[i] == normalize.RoleAssistant {
			m.Model = asked
		}
	}
}
