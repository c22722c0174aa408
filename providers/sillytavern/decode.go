package sillytavern

import (
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// unused is what newer versions write for the names in the header.
const unused = "unused"

// maxSpeakers is how many names of speakers are listed as participants.
const maxSpeakers = 64

// decodeElement makes the document of one chat, or the record of one group.
func decodeElement(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	root := src.Root
	if u.Role == roleGroup {
		return group(u, root)
	}
	if root.Kind() != jsonscan.Object || root.Get("header").Kind() != jsonscan.Object && root.Get("messages").Len() == 0 {
		return nil, lossless.Fail(u, "not_a_conversation", "there is neither a header nor a message in the file")
	}
	dates := datesOf(root)
	side, _ := u.Context.(*sidecars)
	if side == nil {
		side = &sidecars{}
	}
	d := &decoder{b: localapp.New(schemas[dates], src, app, dates), side: side, ids: namer{}, tip: -1, speakers: map[pamio.Participant]bool{}}
	b := d.b
	name(b)
	header := root.Get("header")
	b.Created = d.date(header.Get("create_date"))
	d.speaker(normalize.RoleUser, header.Get("user_name").Str())
	d.speaker(normalize.RoleAssistant, header.Get("character_name").Str())
	b.AddItems("/messages", "unknown_message", func(_ int, o *lossless.Object) {
		d.message(o)
	})
	if title := d.title(header, u.Member.Name); title != "" {
		b.Doc.Title = &title
	}
	return localapp.Finish(b, &d.tree)
}

// datesOf tells how the messages of a chat write dates.
func datesOf(root jsonscan.Node) string {
	for m := range root.Get("messages").Items() {
		if _, style := readDate(m.Get("send_date")); style != "" {
			return style
		}
	}
	return datesISO
}

type decoder struct {
	b        *lossless.Builder
	side     *sidecars
	ids      namer
	tree     localapp.Tree
	tip      int // the message that the next one follows
	speakers map[pamio.Participant]bool
	other    string // who first spoke that is not the person
}

// title is the name of the character, of the group, or of whoever spoke first.
func (d *decoder) title(header jsonscan.Node, member string) string {
	if t := header.Get("character_name").Str(); t != "" && t != unused {
		return t
	}
	if t := d.side.groups[chatName(member)]; t != "" {
		return t
	}
	return d.other
}

// date reads a date and flags one that has no zone.
func (d *decoder) date(n jsonscan.Node) normalize.Instant {
	t, style := readDate(n)
	switch {
	case style == "" && importer.Lexeme(n) != "":
		d.b.Anomalies["unreadable_time"]++
	case style == datesText, style == datesNamed:
		localapp.FlagLocalTime(d.b)
	}
	if style != "" {
		d.b.Seen(t)
	}
	return t
}

// speaker lists a participant by name.
func (d *decoder) speaker(role, name string) {
	p := pamio.Participant{Role: role, Name: name}
	if name == "" || name == unused || d.speakers[p] || len(d.speakers) >= maxSpeakers {
		return
	}
	d.speakers[p] = true
	d.b.Doc.Participants = append(d.b.Doc.Participants, p)
}

// message adds the swipes of a message as siblings, the selected one first.
func (d *decoder) message(o *lossless.Object) {
	m := o.Node()
	role := d.role(m)
	if role != normalize.RoleSystem {
		d.speaker(role, m.Get("name").Str())
	}
	if role == normalize.RoleAssistant && d.other == "" {
		d.other = m.Get("name").Str()
	}
	id := d.ids.message(m)
	selected, err := strconv.Atoi(string(m.Get("swipe_id").Raw()))
	swipes := m.Get("swipes")
	if err != nil || selected < 0 || selected >= swipes.Len() {
		if swipes.Len() > 1 {
			d.b.Anomalies["selection_out_of_range"]++
		}
		selected = 0
	}
	base := d.tip
	shown := d.version(o, role, swipe(id, selected), m.Get("mes"), m.Get("extra"), m.Get("send_date"), true)
	d.tip = base
	for range o.Messages() {
		d.tip = d.tree.Add(d.tip)
	}
	infos := items(m.Get("swipe_info"))
	i := 0
	for text := range swipes.Items() {
		if i != selected {
			var info jsonscan.Node
			if i < len(infos) {
				info = infos[i]
			}
			before, at := len(o.Messages()), base
			d.version(o, role, swipe(id, i), text, info.Get("extra"), info.Get("send_date"), false)
			for range o.Messages()[before:] {
				at = d.tree.Add(at)
			}
		}
		i++
	}
	o.Primary(shown)
}

func items(list jsonscan.Node) []jsonscan.Node {
	var out []jsonscan.Node
	for v := range list.Items() {
		out = append(out, v)
	}
	return out
}

// version adds one version of a message. Files belong to the message, not to a version.
func (d *decoder) version(o *lossless.Object, role, id string, text, extra, date jsonscan.Node, files bool) *lossless.Message {
	turn := localapp.NewTurn(o, role)
	turn.Time = d.date(date)
	if r := extra.Get("reasoning").Str(); r != "" {
		turn.Think().Text(r)
	}
	said := turn.Say()
	said.TextOf(text)
	if files {
		said.Attachments = d.attachments(extra)
	}
	answer, _ := turn.End(id)
	if role == normalize.RoleAssistant {
		answer.Model = extra.Get("model").Str()
	}
	return answer
}

// role tells who speaks. is_system alone also marks what the person has hidden from the model, so
// it counts only with what SillyTavern itself says.
func (d *decoder) role(m jsonscan.Node) string {
	by := m.Get("is_user")
	switch {
	case by.True():
		return normalize.RoleUser
	case m.Get("is_system").True() && (m.Get("extra").Get("type").Str() != "" || m.Get("name").Is("SillyTavern System")):
		return normalize.RoleSystem
	case by.Kind() == jsonscan.Bool:
		return normalize.RoleAssistant
	}
	d.b.Unknown("unknown_role")
	return normalize.RoleSystem
}

// group keeps a group of characters.
func group(u importer.Unit, root jsonscan.Node) ([]importer.Item, error) {
	if root.Kind() != jsonscan.Object {
		return nil, lossless.Fail(u, "not_a_group", "the file is no JSON object")
	}
	return []importer.Item{{Record: &importer.Record{
		Kind: importer.RecordSetting, Provider: localapp.Provider, ID: importer.Lexeme(root.Get("id")), Title: root.Get("name").Str(), Raw: root.AppendCompact(nil),
	}}}, nil
}
