package lmstudio

import (
	"regexp"
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// systemPromptKey is the setting that has the system prompt of one conversation.
const systemPromptKey = "llm.prediction.systemPrompt"

// Where times come from that no message has itself.
const (
	fromCreation    = "conversation"
	fromLastMessage = "last_messaged_at"
)

// decodeElement makes the document of one conversation.
func decodeElement(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	root := src.Root
	if root.Kind() != jsonscan.Object || root.Get("messages").Kind() != jsonscan.Array {
		return nil, lossless.Fail(u, "not_a_conversation", "the file has no list of messages")
	}
	files, _ := u.Context.(localapp.Files)
	d := &decoder{b: localapp.New(schema, src, app, format), files: files, tip: -1}
	b := d.b
	name(b, u.Member.Name)
	b.Title(root.Get("name"))
	b.Created = b.Time(root.Get("createdAt"))
	byUser, byAssistant := b.Time(root.Get("userLastMessagedAt")), b.Time(root.Get("assistantLastMessagedAt"))
	b.Updated = localapp.Newest(byUser, byAssistant)
	if m := fileID.FindStringSubmatch(u.Member.Name[lastSlash(u.Member.Name):]); m != nil {
		b.Fallback, _ = normalize.EpochInstant([]byte(m[1]))
		b.FallbackFrom = "file_name"
	}
	b.Doc.Model = root.Get("lastUsedModel").Get("identifier").Str()
	b.Doc.SystemInstruction = root.Get("systemPrompt").Str()
	for f := range root.Get("perChatPredictionConfig").Get("fields").Items() {
		if f.Kind() == jsonscan.Object && f.Get("key").Is(systemPromptKey) && f.Get("value").Str() != "" {
			b.Doc.SystemInstruction = f.Get("value").Str()
		}
	}
	i := 0
	for m := range root.Get("messages").Items() {
		d.message(i, m)
		i++
	}
	d.times(byUser, byAssistant)
	return localapp.Finish(b, &d.tree)
}

func lastSlash(name string) int {
	for i := len(name); i > 0; i-- {
		if name[i-1] == '/' {
			return i
		}
	}
	return 0
}

type decoder struct {
	b       *lossless.Builder
	files   localapp.Files
	tree    localapp.Tree
	tip     int // the message that the next one follows
	objects []*lossless.Object
}

// message adds the versions of a message as siblings.
func (d *decoder) message(i int, node jsonscan.Node) {
	versions := node.Get("versions")
	if node.Kind() != jsonscan.Object || versions.Kind() != jsonscan.Array {
		d.b.Unknown("unknown_message")
		return
	}
	selected := d.selected(node.Get("currentlySelected"), versions.Len())
	o := d.b.Item("/messages", i, node)
	base, v := d.tip, 0
	var shown *lossless.Message
	for version := range versions.Items() {
		if version.Kind() != jsonscan.Object {
			d.b.Unknown("unknown_version")
			v++
			continue
		}
		at := base
		answer, n := d.version(o, version, messageID(i, v))
		for range n {
			at = d.tree.Add(at)
		}
		if v == selected || shown == nil {
			shown, d.tip = answer, at
		}
		v++
	}
	if shown != nil {
		o.Primary(shown)
		d.objects = append(d.objects, o)
	}
}

// selected is the index of the version that is shown.
func (d *decoder) selected(n jsonscan.Node, versions int) int {
	i, err := strconv.Atoi(string(n.Raw()))
	if err != nil || i < 0 || i >= versions {
		if versions > 0 {
			d.b.Anomalies["selection_out_of_range"]++
		}
		return versions - 1
	}
	return i
}

// version adds the messages of one version. It gives the answer and how many messages there are.
func (d *decoder) version(o *lossless.Object, v jsonscan.Node, id string) (answer *lossless.Message, messages int) {
	role := d.b.Role(v.Get("role").Str())
	w := &writer{d: d, turn: localapp.NewTurn(o, role)}
	for s := range v.Get("steps").Items() {
		w.step(s)
	}
	for c := range v.Get("content").Items() {
		w.content(c, false)
	}
	answer, messages = w.turn.End(id)
	if role == normalize.RoleAssistant {
		if answer.Model = w.model; answer.Model == "" {
			answer.Model = v.Get("senderInfo").Get("senderName").Str()
		}
	}
	return answer, messages
}

// stepTime is the beginning of the name of a step: when it was made, in milliseconds since 1970.
var stepTime = regexp.MustCompile(`^([0-9]{13})-`)

// times fills in what the file says about the times of messages beside the steps: the first one is
// as old as the conversation, and the last ones of both sides have a field in it.
func (d *decoder) times(byUser, byAssistant normalize.Instant) {
	set := func(o *lossless.Object, t normalize.Instant, from string) {
		for _, m := range o.Messages() {
			if m.Time == normalize.Epoch && t != normalize.Epoch {
				m.Time, m.TimeFrom = t, from
			}
		}
	}
	seen := map[string]bool{}
	for i := len(d.objects) - 1; i >= 0; i-- {
		o := d.objects[i]
		role := o.Messages()[0].Role
		switch {
		case seen[role]:
		case role == normalize.RoleUser:
			set(o, byUser, fromLastMessage)
		case role == normalize.RoleAssistant:
			set(o, byAssistant, fromLastMessage)
		}
		seen[role] = true
	}
	if len(d.objects) > 0 {
		set(d.objects[0], d.b.Created, fromCreation)
	}
}

// attachment is a file of a message.
func (d *decoder) attachment(n jsonscan.Node) pamio.Attachment {
	a := pamio.Attachment{Type: "file", ProviderID: n.Get("fileIdentifier").Str()}
	switch kind := n.Get("fileType").Str(); kind {
	case "image", "audio", "video":
		a.Type = kind
	case "text/plain", "document":
		a.Type = "document"
	}
	if size, err := strconv.ParseInt(string(n.Get("sizeBytes").Raw()), 10, 64); err == nil && size >= 0 {
		a.SizeBytes = &size
	}
	if a.ProviderID != "" {
		a.Ref = d.files.Ref(d.b, a.ProviderID)
	}
	return a
}
