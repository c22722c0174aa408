package chat

import "github.com/pamline/pamline/providers/importer"

// Places are where the elements of an export stand in its file: in a list, in an object around a
// list, or alone.
var Places = []string{"[].", "data[].", "chats[].", ""}

// Holds tells whether a member has chats of the skeleton in it, as rows or single.
func Holds(s importer.Shape) bool {
	return s.At(Places, "chat.history.messages{") || s.At(Places, "chat.messages[", "user_id") ||
		s.At(Places, "chat.messages[].role", "id") ||
		s.At(Places, "history.messages{", "models[") || s.At(Places, "history.messages{", "history.currentId")
}

// Recognize tells whether an object is an element.
func Recognize(prefix []byte) bool {
	s := importer.Sniff(prefix)
	return s.Has("chat.history{") || s.Has("chat.messages[") || s.Has("chat{") && s.Has("id") && s.Has("title") || s.Has("history.messages{")
}

// qwenMessage are keys that only messages of Qwen Chat have; qwenRow those of its rows.
var (
	qwenMessage = []string{"content_list[", "sub_chat_type", "feature_config{", "reasoning_content", "turn_id"}
	qwenRow     = []string{"currentResponseIds", "chat.history.currentResponseIds", "chat.history.messages.*.extra.subChatType"}
)

// IsQwen tells whether chats are those of Qwen Chat.
func IsQwen(s importer.Shape) bool {
	for _, key := range qwenMessage {
		if s.At(Places, "chat.history.messages.*."+key) || s.At(Places, "history.messages.*."+key) || s.At(Places, "chat.messages[]."+key) {
			return true
		}
	}
	for _, key := range qwenRow {
		if s.At(Places, key) {
			return true
		}
	}
	return false
}
