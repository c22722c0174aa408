package gpt4all

import "github.com/pamline/pamline/providers/lossless"

// said are the parts of an answer whose value is a text; that of others is what the model wrote to
// call a tool.
const said = "[name!=" + partToolCall + "]"

// schema is about the JSON that readChat makes of a file. It only divides: the file is not built
// again.
var schema = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/id", Slot: lossless.ConversationID},
		{Path: "/name", Slot: lossless.Title},
		{Path: "/creationDate", Slot: lossless.Created, Form: lossless.Seconds},
		{Path: "/modelId", Slot: lossless.Model},
		{Path: "/items", Slot: lossless.MessageList},
	},
	Message: []lossless.Rule{
		{Path: "/name", Slot: lossless.Role, Form: lossless.Roles("user", itemPrompt, "assistant", itemResponse, "system", itemSystem)},
		{Path: "/value", Slot: lossless.Text, Rank: 1}, // behind what led to it
		{Path: "/subItems/" + said + "/value", Slot: lossless.Text},
		{Path: "/subItems/*/subItems/" + said + "/value", Slot: lossless.Text},
		{Path: "/subItems/*/subItems/*/subItems/" + said + "/value", Slot: lossless.Text},
		{Path: "/subItems/*/subItems/[name=" + partToolCall + "]/value", Slot: lossless.ToolInput},
		{Path: "/subItems/*/subItems/[name=" + partToolCall + "]/toolName", Slot: lossless.ToolName},
		{Path: "/sources/*/title", Slot: lossless.CiteTitle},
		{Path: "/sources/*/file", Slot: lossless.CiteTitle},
		{Path: "/sources/*/text", Slot: lossless.CiteSnippet},
	},
}
