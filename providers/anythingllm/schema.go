package anythingllm

import "github.com/pamline/pamline/providers/lossless"

// exchange are the rules that every form of a question with its answer shares.
var exchange = []lossless.Rule{
	{Path: "/id", Slot: lossless.ID, Form: lossless.Number},
	{Path: "/prompt", Slot: lossless.Text},
	{Path: "/response", Slot: lossless.Text},
	{Path: "/response/" + keyThought + "/thought", Slot: lossless.Text},
	{Path: "/response/" + keyThought + "/text", Slot: lossless.Text},
}

var exportRows = &lossless.Schema{
	Conversation:  []lossless.Rule{{Path: "", Slot: lossless.MessageList}},
	Message:       append(exchange[:len(exchange):len(exchange)], lossless.Rule{Path: "/sent_at", Slot: lossless.Created, Form: lossless.ISOMillis}),
	MessageFields: []string{"workspace", "username", "rating", "attachments"},
}

// schemas by form.
var schemas = map[string]*lossless.Schema{
	formDatabase: {
		Conversation: []lossless.Rule{
			{Path: "/thread/slug", Slot: lossless.ConversationID},
			{Path: "/thread/name", Slot: lossless.Title},
			{Path: "/workspace/openAiPrompt", Slot: lossless.System},
			{Path: "/chats", Slot: lossless.MessageList},
		},
		Message: append(exchange[:len(exchange):len(exchange)],
			lossless.Rule{Path: "/response/text", Slot: lossless.Text},
			lossless.Rule{Path: "/response/text/" + keyThought + "/thought", Slot: lossless.Text},
			lossless.Rule{Path: "/response/text/" + keyThought + "/text", Slot: lossless.Text},
			lossless.Rule{Path: "/response/attachments/*/name", Slot: lossless.AttachName},
			lossless.Rule{Path: "/response/attachments/*/mime", Slot: lossless.AttachMime},
			lossless.Rule{Path: "/response/sources/*/url", Slot: lossless.CiteURL},
			lossless.Rule{Path: "/response/sources/*/title", Slot: lossless.CiteTitle},
			lossless.Rule{Path: "/response/metrics/completion_tokens", Slot: lossless.Tokens},
			lossless.Rule{Path: "/response/metrics/model", Slot: lossless.Model},
			lossless.Rule{Path: "/createdAt", Slot: lossless.Created, Form: lossless.Millis}),
		Fields: []string{"workspace", "thread"},
		MessageFields: []string{
			"workspaceId", "include", "user_id", "thread_id", "api_session_id", "lastUpdatedAt", "feedbackScore",
		},
	},
	formJSON: exportRows,
	formCSV:  exportRows,
	formLines: {
		Conversation: []lossless.Rule{{Path: "/messages", Slot: lossless.MessageList}},
		Message: []lossless.Rule{
			{Path: "/role", Slot: lossless.Role},
			{Path: "/content/[type=text]/text", Slot: lossless.Text},
			{Path: "/content/[type=text]/text/" + keyThought + "/thought", Slot: lossless.Text},
			{Path: "/content/[type=text]/text/" + keyThought + "/text", Slot: lossless.Text},
			{Path: "/content", Slot: lossless.Text},
			{Path: "/content/" + keyThought + "/thought", Slot: lossless.Text},
			{Path: "/content/" + keyThought + "/text", Slot: lossless.Text},
		},
		Fields: []string{}, MessageFields: []string{},
	},
	formAlpaca: {
		Conversation: []lossless.Rule{{Path: "", Slot: lossless.MessageList}},
		Message: []lossless.Rule{
			{Path: "/input", Slot: lossless.Text},
			{Path: "/output", Slot: lossless.Text},
			{Path: "/output/" + keyThought + "/thought", Slot: lossless.Text},
			{Path: "/output/" + keyThought + "/text", Slot: lossless.Text},
		},
		MessageFields: []string{"instruction"},
	},
}
