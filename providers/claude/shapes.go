package claude

import (
	"path"
	"strings"

	"github.com/pamline/pamline/providers/importer"
)

// Roles of the claimed members.
const (
	roleChats     = "conversations" // conversation elements
	roleDesigns   = "design_chats"  // conversations about a canvas
	roleProjects  = "projects"
	roleMemories  = "memories"
	roleAccount   = "users"
	roleRest      = "rest" // what stands around a wrapped list of conversations
	roleManifest  = "manifest"
	roleReport    = "report" // what the manifest lists and the drop has not: no member's bytes
	roleArtifact  = "artifact"
	roleComments  = "artifact_comments"
	roleLogins    = "login_history"
	roleFeedback  = "reflections"
	rolePageAsset = importer.RoleAsset
)

// wrapped is where conversations stand that somebody has put into an object.
const wrapped = "conversations[]."

// anywhere is where an element may stand: in a list, alone, or, if it is a conversation, in an
// object.
var anywhere = []string{"[].", "", wrapped}

// isWrapped tells whether the conversations of a member stand in an object.
func isWrapped(s importer.Shape) bool { return s.Has("conversations[") && !s.Has("chat_messages") }

// form is a kind of member that is recognized by what is in it: one of the sets of paths behind one
// prefix.
type form struct {
	role string
	any  [][]string
	not  string // a path behind the same prefix that makes it another format
}

// forms are tried in order.
var forms = []form{
	{roleChats, [][]string{{"chat_messages", `uuid"`}, {"chat_messages[].sender"}, {"chat_messages[].content["}}, "mapping{"},
	{roleDesigns, [][]string{{`uuid"`, "messages[", "project{", "title"}, {`uuid"`, "messages[].content.contentBlocks["}, {`uuid"`, "messages[].content.authorAccountUuid"}}, "chat_messages"},
	{roleProjects, [][]string{{`uuid"`, "docs[", "name"}, {`uuid"`, "prompt_template"}, {`uuid"`, "is_starter_project"}}, "chat_messages"},
	{roleMemories, [][]string{{"conversations_memory"}, {"project_memories"}, {"memory_files["}, {`uuid"`, `memory"`}}, "chat_messages"},
	{roleAccount, [][]string{{`uuid"`, "full_name", "email_address"}, {`uuid"`, "full_name", "verified_phone_number"}}, "chat_messages"},
	{roleArtifact, [][]string{{"versions[", "active_version", "visibility"}, {"versions[", "active_version", "owner_account"}}, "chat_messages"},
	{roleManifest, [][]string{{"data_files[].filename", "data_files[].category"}, {"data_files[].filename", "data_files[].export_url"}}, "chat_messages"},
}

// roleByContent recognizes a member, "" when it is nothing that only Claude has.
func roleByContent(s importer.Shape) string {
	for _, f := range forms {
		for _, prefix := range anywhere {
			if prefix == wrapped && f.role != roleChats {
				continue
			}
			at := []string{prefix}
			for _, paths := range f.any {
				if s.At(at, paths...) && !s.At(at, f.not) {
					return f.role
				}
			}
		}
	}
	return ""
}

// lookalike says what a file is that belongs to Claude and holds no conversations, "" for anything
// else.
func lookalike(s importer.Shape) string {
	switch {
	case s.Has("mcpServers{"):
		return "the settings of Claude Desktop, not an export of conversations"
	case s.At(anywhere, `uuid"`, "current_leaf_message_uuid") && !s.At(anywhere, "chat_messages"):
		return "a list of the names of Claude conversations, without their messages: drop the export that Claude sends by mail"
	}
	return ""
}

// roleByName is the role of a member that nothing in it shows, where it lies beside others that
// were recognized.
func roleByName(name string, l look) string {
	base, folder := strings.ToLower(path.Base(name)), path.Base(path.Dir(name))
	switch {
	case base == "login_history.json":
		return roleLogins
	case folder == "reflections" && l.json:
		return roleFeedback
	case base == "artifact_comments.json" && l.json:
		return roleComments
	case l.json && !l.empty && (base == "memories.json" || folder == "memories"):
		return roleMemories
	}
	return ""
}

// ownNames are the files that are claimed even when they cannot be read at all or are no JSON,
// beside others that were recognized, so that somebody says what is wrong with them.
var ownNames = map[string]string{
	"conversations.json": roleChats, "projects.json": roleProjects, "memories.json": roleMemories, "users.json": roleAccount,
}

// isPage tells whether a member is a page of an artifact whose folder is known:
// artifacts/<id>/versions/<n>.html.
func isPage(name string, artifacts map[string]bool) bool {
	versions := path.Dir(name)
	return path.Base(versions) == "versions" && artifacts[path.Dir(versions)]
}

// hasConversations and hasDesigns recognize an element from its first bytes.
func hasConversations(prefix []byte) bool {
	s := importer.Sniff(prefix)
	return s.Has("chat_messages") && s.Has("uuid")
}

func hasDesigns(prefix []byte) bool {
	s := importer.Sniff(prefix)
	return s.Has("uuid") && s.Has("messages[")
}

func hasProject(prefix []byte) bool {
	s := importer.Sniff(prefix)
	return s.Has("uuid") && s.Has("name")
}
