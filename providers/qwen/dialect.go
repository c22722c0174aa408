package qwen

import (
	"slices"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
	"github.com/pamline/pamline/providers/openwebui/chat"
)

var dialect = chat.New(chat.Dialect{
	Provider: provider, Space: provider,
	Fields: []string{
		"share_id", "pinned", "meta", "folder_id", "currentResponseIds", "project_id", "chat_type", "sub_chat_type", "timestamp",
		"user_id", "share", "in_time", "is_active",
	},
	MessageFields: []string{
		"modelName", "modelIdx", "models", "done", "files", "content_list", "reasoning_content", "chat_type", "sub_chat_type",
		"feature_config", "is_stop", "edited", "turn_id", "feedbackId", "extra", "error", "info", "meta", "annotation", "childrenIds",
		"user_action", "userContext", "lastSentence", "response_id", "usage", "status", "history", "currentId", "parent_id", "fid", "user_id",
	},
	Rules: slices.Concat([]lossless.Rule{
		{Path: "/model", Slot: lossless.Model},
		{Path: "/reasoning_content", Slot: lossless.Text},
		{Path: "/content_list/*/content", Slot: lossless.Text},
		{Path: "/content_list/*/extra/web_search_info/*/url", Slot: lossless.CiteURL},
		{Path: "/content_list/*/extra/web_search_info/*/title", Slot: lossless.CiteTitle},
		{Path: "/extra/web_search_info/*/url", Slot: lossless.CiteURL},
		{Path: "/extra/web_search_info/*/title", Slot: lossless.CiteTitle},
	}, chat.FileRules),
	Content: content,
})

// phases of the pieces of an answer, by what they are. What a tool gave is neither thought nor
// said.
var phases = map[string]int{
	"think": thought, "thinking": thought, "thinking_summary": thought,
	"answer": answer, "": answer, "image_gen": answer, "video_gen": answer,
	"web_search": tool, "web_extractor": tool, "code_interpreter": tool, "image_gen_tool": tool,
}

const (
	thought = iota + 1
	answer
	tool
)

// content makes the messages of an object of its pieces, in their order.
func content(m *chat.Maker) {
	pieces := m.Node.Get("content_list")
	if r := m.Node.Get("reasoning_content"); r.Kind() == jsonscan.String && r.Str() != "" {
		m.Thought(r.Str())
	}
	for p := range pieces.Items() {
		text := p.Get("content")
		kind, known := phases[p.Get("phase").Str()]
		if !known {
			m.Builder().Unknown("unknown_phase")
			kind = tool
		}
		switch {
		case text.Kind() != jsonscan.String || text.Str() == "" && kind != answer:
		case kind == thought:
			m.Thought(text.Str())
		case kind == answer:
			m.Answer(text.Str())
		default:
			m.Result(text.Str())
		}
	}
	for p := range pieces.Items() {
		cite(m, p.Get("extra"))
	}
	cite(m, m.Node.Get("extra"))
}

// cite reads the sources that a search found.
func cite(m *chat.Maker, extra jsonscan.Node) {
	for found := range extra.Get("web_search_info").Items() {
		chat.Cite(m.Primary(), found.Get("url").Str(), found.Get("title").Str())
	}
}
