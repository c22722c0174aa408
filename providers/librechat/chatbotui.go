package librechat

import (
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// chatbotConversation makes the document of one conversation of Chatbot UI:
//
//	{"id","name","messages":[{"role","content"}],"model":{"id",…},"prompt","temperature","folderId"}
//
// It has no times at all.
func chatbotConversation(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	root := src.Root
	if root.Kind() != jsonscan.Object || root.Get("messages").Kind() != jsonscan.Array {
		return nil, lossless.Fail(u, "not_a_conversation", "the element has no list of messages")
	}
	b := localapp.New(chatbot, src, appChatbot, formatChatbot)
	nameChatbot(b)
	b.Title(root.Get("name"))
	b.Doc.Model = root.Get("model").Get("id").Str()
	b.Doc.SystemInstruction = root.Get("prompt").Str()
	b.AddItems("/messages", "unknown_message", func(_ int, o *lossless.Object) {
		m := o.Node()
		role := b.Role(m.Get("role").Str())
		said := o.Add("", role)
		said.TextOf(m.Get("content"))
	})
	return localapp.Finish(b, nil)
}

// settings keeps what stands around the conversations of Chatbot UI: folders and saved prompts.
func settings(u importer.Unit, root jsonscan.Node) ([]importer.Item, error) {
	if root.Kind() != jsonscan.Object {
		return nil, lossless.Fail(u, "not_settings", "what stands around the conversations is no JSON object")
	}
	return []importer.Item{{Record: &importer.Record{
		Kind: importer.RecordSetting, Provider: localapp.Provider, Title: "Chatbot UI folders and prompts", Raw: root.AppendCompact(nil),
	}}}, nil
}
