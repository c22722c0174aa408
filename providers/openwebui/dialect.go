package openwebui

import (
	"slices"

	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
	"github.com/pamline/pamline/providers/openwebui/chat"
	"github.com/pamline/pamline/providers/toolcall"
)

// rowFields are the keys of a row of the table chat that are known without being mapped.
var rowFields = []string{
	"share_id", "pinned", "meta", "folder_id", "tasks", "summary", "last_read_at", "current_message_id", "variables", "timer_at",
	"timestamp", "shared",
}

var messageFields = []string{
	"model", "modelName", "modelIdx", "models", "done", "files", "sources", "citations", "statusHistory", "status", "status_history",
	"annotation", "feedbackId", "favorite", "rating", "usage", "info", "error", "output", "lastSentence", "userContext", "user",
	"embeds", "code_executions", "followUps", "merged", "arena", "selectedModelId", "originalContent", "context_summary", "meta",
	"edited", "audio", "voice", "tool_calls", "toolIds",
}

// contentRules map what messages hold; those of the table chat_message have them as well.
var contentRules = slices.Concat([]lossless.Rule{
	{Path: "/content/[type=text]/text", Slot: lossless.Text},
	{Path: "/content/" + keyBlocks + "/[type=text]/text", Slot: lossless.Text},
	{Path: "/content/" + keyBlocks + "/[type=thought]/thought", Slot: lossless.Text},
	{Path: "/output/[type=reasoning]/content/*/text", Slot: lossless.Text},
	{Path: "/output/[type=reasoning]/summary/*/text", Slot: lossless.Text},
	{Path: "/output/[type=message]/content/*/text", Slot: lossless.Text},
	{Path: "/output/[type=function_call]/call_id", Slot: lossless.ToolID},
	{Path: "/output/[type=function_call]/name", Slot: lossless.ToolName},
	{Path: "/output/[type=function_call]/arguments", Slot: lossless.ToolInput, Form: toolcall.Text},
	{Path: "/output/[type=function_call_output]/output/*/text", Slot: lossless.ToolOutput},
	{Path: "/output/[type=function_call_output]/output", Slot: lossless.ToolOutput},
	{Path: "/content/" + keyBlocks + "/[type=call]/id", Slot: lossless.ToolID},
	{Path: "/content/" + keyBlocks + "/[type=call]/name", Slot: lossless.ToolName},
	{Path: "/content/" + keyBlocks + "/[type=call]/arguments", Slot: lossless.ToolInput, Form: toolcall.Text},
	{Path: "/content/" + keyBlocks + "/[type=call]/result", Slot: lossless.ToolOutput},
	{Path: "/usage/completion_tokens", Slot: lossless.Tokens},
	{Path: "/sources/*/source/url", Slot: lossless.CiteURL},
	{Path: "/sources/*/metadata/*/source", Slot: lossless.CiteURL},
	{Path: "/sources/*/metadata/*/title", Slot: lossless.CiteTitle},
}, chat.FileRules)

var dialect = chat.New(chat.Dialect{
	Provider: localapp.Provider, Space: space, Note: "openwebui",
	Fields: rowFields, MessageFields: messageFields,
	Rules:   slices.Concat([]lossless.Rule{{Path: "/model", Slot: lossless.Model}}, contentRules),
	Content: content,
	Rewrite: splitDetails, Undo: joinDetails,
	Rows: &chat.Rows{Form: formRows, Key: tableMessages, Rules: contentRules, Fields: []string{"chat_id", "user_id", "parent_id", "model_id", "created_at", "updated_at"}},
})
