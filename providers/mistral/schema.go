package mistral

import (
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// The names of the generation in documents, by what results of tools are: texts, or JSON values.
// They never change.
const (
	textResults  = "chat-files"
	valueResults = "chat-files-json-results"
)

var schemas = lossless.Schemas{
	textResults:  schema(lossless.String),
	valueResults: schema(jsonValue),
}

// recognize tells the form by the first result of a tool.
func recognize(list jsonscan.Node) string {
	for m := range list.Items() {
		for c := range m.Get("contentChunks").Items() {
			switch c.Get("publicResult").Kind() {
			case jsonscan.Object, jsonscan.Array:
				return valueResults
			case jsonscan.String:
				return textResults
			}
		}
	}
	return textResults
}

func schema(results lossless.Form) *lossless.Schema {
	return &lossless.Schema{
		Conversation: []lossless.Rule{{Path: "", Slot: lossless.MessageList}},
		Message: []lossless.Rule{
			{Path: "/id", Slot: lossless.ID},
			{Path: "/role", Slot: lossless.Role, Form: lossless.Roles("user", "user", "assistant", "assistant", "system", "system", "tool", "tool")},
			{Path: "/createdAt", Slot: lossless.Created, Form: lossless.ISOMillis},
			{Path: "/content", Slot: lossless.Text},
			{Path: "/contentChunks/[type=text]/text", Slot: lossless.Text},
			{Path: "/contentChunks/[type=tool_call]/name", Slot: lossless.ToolName},
			{Path: "/contentChunks/[type=tool_call]/publicArguments", Slot: lossless.ToolInput},
			{Path: "/contentChunks/[type=tool_call]/publicResult", Slot: lossless.ToolOutput, Form: results},
			{Path: "/files/*/name", Slot: lossless.AttachName},
		},
		MessageFields: strings.Fields("version chatId contentChunks reaction reactionDetail reactionComment preference preferenceOver context canvas quotes files"),
	}
}

// jsonValue is a JSON value whose compact text the document has.
var jsonValue = lossless.Form{
	Write: func(dst []byte, value string) ([]byte, bool) {
		doc, err := jsonscan.Parse([]byte(value), 0)
		if err != nil || doc.Root().Odd() {
			return pamio.AppendString(dst, value), true
		}
		return doc.Root().AppendCompact(dst), true
	},
	Read: func(n jsonscan.Node) (string, bool) { return string(n.AppendCompact(nil)), n.Exists() },
}

// knownChunks are the types of chunks that are known. Others are counted.
var knownChunks = map[string]bool{"text": true, "tool_call": true, "reference": true, "custom_element": true, "image_url": true}

// roleOf reads a role.
func roleOf(b *lossless.Builder, n jsonscan.Node) string {
	role := b.Role(n.Str())
	return role
}
