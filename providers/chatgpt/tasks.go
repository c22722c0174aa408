package chatgpt

import (
	"regexp"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// eraTasks is the export_format_version of a Codex cloud task, whose mapping is taskSchema.
const eraTasks = "chatgpt-codex-cloud"

// taskWrappers are the keys under which an object may hold the list of tasks.
var taskWrappers = []string{"tasks", "items"}

// taskSchema is the mapping of a task of codex.json: the conversation is named by its id, a message
// by that of its turn. Both rules are frozen.
var taskSchema = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/id", Slot: lossless.ConversationID},
		{Path: "/title", Slot: lossless.Title},
		{Path: "/created_at", Slot: lossless.Created, Form: lossless.ISO},
		{Path: "/turns", Slot: lossless.MessageList},
	},
	Message: []lossless.Rule{
		{Path: "/id", Slot: lossless.ID},
		{Path: "/role", Slot: lossless.Role, Form: lossless.Roles("user", "user", "assistant", "assistant")},
		{Path: "/created_at", Slot: lossless.Created, Form: lossless.ISO},
		{Path: "/input_items/*/content/[content_type=text]/text", Slot: lossless.Text},
		{Path: "/output_items/*/content/[content_type=text]/text", Slot: lossless.Text},
	},
}

// holdsTasks tells whether a member's shape is that of Codex cloud tasks.
func holdsTasks(s importer.Shape) bool {
	at := []string{"", "[]."}
	for _, w := range taskWrappers {
		at = append(at, w+"[].")
	}
	return s.At(at, `id"`, "turns[].input_items") || s.At(at, `id"`, "turns[].output_items")
}

func isTask(prefix []byte) bool {
	s := importer.Sniff(prefix)
	return s.Top == '{' && s.Root["turns"] == '[' && s.Root["id"] == '"' && s.Root["mapping"] == 0
}

// exportName is how OpenAI names an archive; the time in it is that of the export, in UTC.
var exportName = regexp.MustCompile(`(?:^|/)[0-9a-f]{64}-(\d{4}-\d\d-\d\d)-(\d\d)-(\d\d)-(\d\d)-[0-9a-f]{32}[^/]*/`)

// task makes the document of a Codex cloud task. Tasks have no times: an archive inside the drop
// tells the time of the export by its name.
func task(u importer.Unit, j *joined) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	root := src.Root
	if root.Kind() != jsonscan.Object || root.Get("turns").Kind() != jsonscan.Array {
		return nil, lossless.Fail(u, codeForeign, "the element is not a task: it has no turns")
	}
	b := taskSchema.New(src, Provider)
	b.Doc.Provider.ExportFormatVersion = eraTasks
	b.Doc.Provider.AccountID = j.accountOf(u.Member)
	b.Note("surface", "codex-cloud")
	b.ID(root.Get("id").Str())
	b.Title(root.Get("title"))
	if t := root.Get("created_at"); t.Exists() {
		b.Created = b.Time(t)
	}
	if m := exportName.FindStringSubmatch(u.Member.Name); m != nil {
		if at, ok := normalize.ISOInstant(m[1] + "T" + m[2] + ":" + m[3] + ":" + m[4] + "Z"); ok {
			b.Fallback, b.FallbackFrom = at, "export_time"
		}
	}
	i := -1
	for turn := range root.Get("turns").Items() {
		if i++; turn.Kind() == jsonscan.Object {
			addTurn(b, b.Item("/turns", i, turn))
		}
	}
	return b.Items()
}

// addTurn makes the message of a turn. References to files of the repository have no address: they
// stay in raw_metadata.
func addTurn(b *lossless.Builder, o *lossless.Object) {
	turn := o.Node()
	role := b.Role(turn.Get("role").Str())
	m := o.Add(turn.Get("id").Str(), role)
	if t := turn.Get("created_at"); t.Exists() {
		m.Time = b.Time(t)
	}
	for _, key := range []string{"input_items", "output_items"} {
		for item := range turn.Get(key).Items() {
			for part := range item.Get("content").Items() {
				if text := part.Get("text"); part.Get("content_type").Is("text") && text.Kind() == jsonscan.String {
					m.Text(text.Str())
				}
			}
		}
	}
}
