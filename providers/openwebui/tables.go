package openwebui

import (
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// Tables of webui.db. The names of forms are what export_format_version says.
const (
	tableChats    = "chat"
	tableMessages = "chat_message"

	formDatabase = "webui-db"
	formRows     = formDatabase + "-messages"
)

// recordTable is a table whose rows become records.
type recordTable struct {
	kind string
	// title and text are where in a row the name and the words stand, by keys.
	title, text []string
	// json are columns whose text is JSON, without those that are never read: secrets.
	json, without []string
}

// recordTables are the tables of which every row is kept.
var recordTables = map[string]recordTable{
	"memory":    {kind: importer.RecordMemory, text: []string{"content"}},
	"user":      {kind: importer.RecordProfile, title: []string{"name"}, text: []string{"bio"}, json: []string{"settings", "info"}, without: []string{"api_key", "oauth_sub", "oauth", "scim", "password"}},
	"model":     {kind: importer.RecordAssistant, title: []string{"name"}, text: []string{"params", "system"}, json: []string{"params", "meta", "access_control"}},
	"prompt":    {kind: importer.RecordSetting, title: []string{"title"}, text: []string{"content"}, json: []string{"access_control"}},
	"folder":    {kind: importer.RecordProject, title: []string{"name"}, text: []string{"data", "system_prompt"}, json: []string{"items", "meta", "data"}},
	"knowledge": {kind: importer.RecordProject, title: []string{"name"}, text: []string{"description"}, json: []string{"data", "meta", "access_control"}},
	"note":      {kind: importer.RecordSetting, title: []string{"title"}, text: []string{"data", "content", "md"}, json: []string{"data", "meta", "access_control"}},
	"feedback":  {kind: importer.RecordFeedback, text: []string{"data", "comment"}, json: []string{"data", "meta", "snapshot"}},
	"file":      {kind: importer.RecordSetting, title: []string{"filename"}, json: []string{"data", "meta", "access_control"}},
}

// passedTables are those that are counted and not kept, with the reason.
var passedTables = map[string]struct{ code, reason string }{
	"auth":          {"credentials", "passwords are never read"},
	"api_key":       {"credentials", "keys are never read"},
	"oauth_session": {"credentials", "sessions are never read"},
	"config":        {"server_settings", "the settings of the server belong to whoever runs it and may hold keys"},
	"message":       {"channel_message", "messages of channels are conversations between people, not with an assistant"},
	"tag":           {"tag_list", "the tags of a chat stand in the chat"},
	"function":      {"server_code", "functions are programs of the server"},
	"tool":          {"server_code", "tools are programs of the server and may hold keys"},
}

// at follows keys through objects and gives the text that stands there.
func at(n jsonscan.Node, keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	for _, k := range keys {
		n = n.Get(k)
	}
	return n.Str()
}
