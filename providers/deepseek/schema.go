package deepseek

import (
	"time"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// rootNode is the node that all first messages hang on. It has no message.
const rootNode = "root"

// The names of the generations in documents; they never change.
const (
	fragments  = "fragments"
	content    = "content"
	createTime = "-create-time"
)

var schemas = lossless.Schemas{
	fragments:              schema(true, false),
	content:                schema(false, false),
	fragments + createTime: schema(true, true),
	content + createTime:   schema(false, true),
}

// recognize tells the generation of a conversation.
func recognize(root jsonscan.Node) string {
	name := content
	for _, node := range root.Get("mapping").Fields() {
		if node.Get("message").Get("fragments").Kind() == jsonscan.Array {
			name = fragments
			break
		}
	}
	if !root.Get("inserted_at").Exists() && root.Get("create_time").Exists() {
		name += createTime
	}
	return name
}

var roles = lossless.Roles("user", "user", "assistant", "assistant", "system", "system", "tool", "tool",
	"user", "USER", "assistant", "ASSISTANT", "system", "SYSTEM", "tool", "TOOL")

func schema(inFragments, foreign bool) *lossless.Schema {
	s := &lossless.Schema{
		Conversation: []lossless.Rule{
			{Path: "/title", Slot: lossless.Title},
			{Path: "/mapping", Slot: lossless.MessageMap},
		},
		Message: []lossless.Rule{
			{Path: "/id", Slot: lossless.ID},
			{Path: "/parent", Slot: lossless.Parent, Form: lossless.String.Or(`"` + rootNode + `"`)},
			{Path: "/children", Slot: lossless.Children},
			{Path: "/message/model", Slot: lossless.Model},
			{Path: "/message/inserted_at", Slot: lossless.Created, Form: beijing},
			{Path: "/message/files/*/id", Slot: lossless.AttachID},
			{Path: "/message/files/*/file_name", Slot: lossless.AttachName},
			{Path: "/message/files/*/file_size", Slot: lossless.AttachSize},
		},
		Fields:        []string{"current_node"},
		MessageFields: []string{"message"},
	}
	if foreign {
		s.Conversation = append(s.Conversation,
			lossless.Rule{Path: "/conversation_id", Slot: lossless.ConversationID},
			lossless.Rule{Path: "/create_time", Slot: lossless.Created, Form: beijing},
			lossless.Rule{Path: "/update_time", Slot: lossless.Updated, Form: beijing},
			lossless.Rule{Path: "/is_archived", Slot: lossless.Archived})
		s.Fields = append(s.Fields, "id", "moderation_results", "conversation_template_id", "gizmo_id")
	} else {
		s.Conversation = append(s.Conversation,
			lossless.Rule{Path: "/id", Slot: lossless.ConversationID},
			lossless.Rule{Path: "/inserted_at", Slot: lossless.Created, Form: beijing},
			lossless.Rule{Path: "/updated_at", Slot: lossless.Updated, Form: beijing})
	}
	if inFragments {
		s.Message = append(s.Message, lossless.Rule{Path: "/message/fragments/*/content", Slot: lossless.Text})
	} else {
		s.Message = append(s.Message,
			lossless.Rule{Path: "/message/content", Slot: lossless.Text},
			lossless.Rule{Path: "/message/role", Slot: lossless.Role, Form: roles})
	}
	return s
}

// The keys of a message that are known. Others are counted.
var knownInMessage = map[string]bool{"files": true, "model": true, "inserted_at": true, "fragments": true, "content": true, "role": true}

// beijing is a time as DeepSeek writes it: with the offset of its home, and a fraction of six
// digits or none.
var beijing = lossless.Form{
	Write: func(dst []byte, value string) ([]byte, bool) {
		t, ok := normalize.ParseInstant(value)
		if !ok {
			return dst, false
		}
		layout := "2006-01-02T15:04:05-07:00"
		if t.Micro != 0 {
			layout = "2006-01-02T15:04:05.000000-07:00"
		}
		at := time.Unix(t.Sec, int64(t.Micro)*1000).In(time.FixedZone("", 8*60*60))
		return pamio.AppendString(dst, at.Format(layout)), true
	},
	Read: lossless.ISO.Read,
}
