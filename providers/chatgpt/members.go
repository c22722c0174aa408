package chatgpt

import (
	"path"
	"regexp"
	"strings"

	"github.com/pamline/pamline/providers/importer"
)

// Roles of the claimed members.
const (
	roleConversations = "conversations" // conversation elements
	rolePage          = "page"          // chat.html as the only source of conversations
	roleTwin          = "twin"          // chat.html beside the JSON that it repeats, and a conversation that only the page has
	roleSidecar       = "sidecar"       // joined or counted
	roleFile          = "file"          // a file of a conversation, which 2026.07 counts and does not copy
	roleReport        = "report"        // what the claim as a whole has to say: no member's bytes
	roleRecord        = "record"        // a sidecar that becomes a record as a whole
	roleTasks         = "tasks"         // Codex cloud tasks
	roleUnmatched     = "unmatched"     // entries of a joined sidecar that no conversation took
)

// isConversation is the predicate for one conversation element by its keys and the first bytes of
// their values.
func isConversation(keys map[string]byte) bool {
	if keys["mapping"] == '{' {
		return true
	}
	named := keys["conversation_id"] == '"' || keys["id"] == '"'
	if _, ok := keys["current_node"]; ok && named {
		return true
	}
	// Marks of two providers in one element: it is read as what its id says.
	_, claude := keys["uuid"]
	_, mixed := keys["chat_messages"]
	return mixed && !claude && keys["conversation_id"] == '"'
}

// listOnly is the shape of a member in which the only list in an object that counts is that of
// conversations.
func listOnly(s importer.Shape) importer.Shape {
	if s.Wrapper != "" && s.Wrapper != "conversations" {
		s.Wrapper, s.Objects, s.Others = "", nil, 0
	}
	return s
}

// holdsConversations tells whether a member's shape is that of conversations: a list, one bare
// object, a wrapper object or lines.
func holdsConversations(s importer.Shape) bool {
	for _, o := range s.Objects {
		if isConversation(o) {
			return true
		}
	}
	return s.Top == '{' && s.Wrapper == "" && isConversation(s.Root)
}

var shardName = regexp.MustCompile(`(?i)^conversations(-\d+)?\.json$`)

// sidecarNames are the files of an export beside its conversations. The reason says what becomes of
// those that are not joined.
var sidecarNames = map[string]string{
	"user.json":                          "",
	"message_feedback.json":              "",
	"shared_conversations.json":          "",
	"conversation_asset_file_names.json": "",
	"library_files.json":                 "",
	"export_manifest.json":               "",
	"group_chats.json":                   "group chats are not read: their form is not known",
	"model_comparisons.json":             "comparisons of answers are not read: they are no conversations",
	"shopping.json":                      "shopping data is not read",
	"sora.json":                          "Sora generations are not read",
	"ads.json":                           "advertising data is not read",
	"codex.json":                         "Codex cloud tasks are not read: they have no times",
	"user_settings.json":                 "settings are not read",
	"basis_points.json":                  "the form of this file is not known",
	"tool_messages.json":                 "the form of this file is not known",
}

var assetName = regexp.MustCompile(`^(file[-_][0-9A-Za-z]|.+\.dat$)`)

// isAsset tells whether a member's path is that of a file of a conversation, by the layouts of all
// eras. byFolder is false for an export that lies in a folder with such a name as a whole.
func isAsset(name string, byFolder bool) bool {
	if assetName.MatchString(path.Base(name)) {
		return true
	}
	if !byFolder {
		return false
	}
	for segment := range strings.SplitSeq(path.Dir(name), "/") {
		if segment == "dalle-generations" || segment == "audio" || segment == "textdocs" || segment == "personal" || strings.HasPrefix(segment, "user-") {
			return true
		}
	}
	return false
}
