package geminiworkspace

import (
	"path"
	"regexp"
	"strconv"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// The rules in this file are frozen: a document and a message that were named once keep their
// names, however much better a later version of the importer reads them. The id of a conversation
// stands in the name of its file. In a file that was renamed it is made of the time at which the
// conversation began and of what was said first.

// nameWorkspace names a conversation of Gemini in Workspace.
func nameWorkspace(b *lossless.Builder, member string, root jsonscan.Node) {
	if g := conversationName.FindStringSubmatch(path.Base(member)); g != nil {
		b.ID(g[1])
		return
	}
	b.DerivedID(Provider, "workspace\x00"+root.Get("creation_time").Str()+"\x00"+firstPrompt(root))
}

func firstPrompt(root jsonscan.Node) string {
	for turn := range root.Get("conversation_turns").Items() {
		if p := turn.Get("user_turn").Get("prompt"); p.Kind() == jsonscan.String {
			return p.Str()
		}
	}
	return ""
}

// turnIDs names turns by speaker and index. A turn that was given again has a number.
type turnIDs map[string]int

func (t turnIDs) next(kind string, index string) string {
	id := kind + "-" + index
	t[id]++
	if n := t[id]; n > 1 {
		id += "." + strconv.Itoa(n)
	}
	return id
}

var sessionID = regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// namePage names a chat of NotebookLM: by the id in the name of its file, else by its notebook and
// what was said first.
func namePage(b *lossless.Builder, member, firstSaid string) {
	if id := sessionID.FindString(path.Base(member)); id != "" {
		b.IDIn(Provider+"/notebooklm", id)
		return
	}
	b.DerivedID(Provider, "notebooklm\x00"+notebook(member)+"\x00"+firstSaid)
}

// notebook is the name of the notebook that a chat belongs to: the folder around that of the chats.
func notebook(member string) string {
	dir := path.Dir(path.Dir(member))
	if dir == "." || dir == "/" {
		return ""
	}
	return path.Base(dir)
}
