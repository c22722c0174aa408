package aistudio

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// The rules in this file are frozen: a document and a message that were named once keep their
// names, however much better a later version of the importer reads them. Most files have no id
// inside. Then a conversation is named by the file, which AI Studio calls as the prompt, and by its
// first chunk: chunks are added at the end only. A prompt that was given another name is another
// conversation, and so is a branch, which begins with the same chunks.

// counter is what Drive and browsers add to the second file of a name. It counts the files of one
// download, so that it says nothing about the prompt.
var counter = regexp.MustCompile(` ?\(\d+\)$`)

// title is the name of a file as a person gave it to the prompt.
func title(member string) string {
	name := norm.NFC.String(path.Base(member)) // archives of some systems have letters and accents apart
	if ext := path.Ext(name); strings.EqualFold(ext, ".json") {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// conversationKey names a file without an id. first is its first chunk, which need not exist.
func conversationKey(member string, first jsonscan.Node) string {
	return counter.ReplaceAllString(title(member), "") + "\x00" + chunkKey(first)
}

// contentKeys are what a chunk says, apart from its text.
var contentKeys = []string{"createTime", "executableCode", "codeExecutionResult", "inlineFile", "inlineImage", "inlineData"}

// chunkKey tells chunks apart by what does not change when the conversation goes on.
func chunkKey(n jsonscan.Node) string {
	if n.Kind() != jsonscan.Object {
		return ""
	}
	var key strings.Builder
	key.WriteString(n.Get("role").Str() + "\x00" + n.Get("text").Str() + "\x00" + n.Get("prompt").Str())
	for p := range n.Get("parts").Items() {
		if t := p.Get("text"); t.Kind() == jsonscan.String {
			key.WriteString("\x00t" + t.Str())
		} else {
			key.WriteString("\x00d" + normalize.Digest(p))
		}
	}
	for _, k := range contentKeys {
		if v := n.Get(k); v.Exists() {
			key.WriteString("\x00" + k + normalize.Digest(v))
		}
	}
	for _, f := range fileKeys {
		if id := n.Get(f.key).Get("id"); id.Kind() == jsonscan.String {
			key.WriteString("\x00" + f.key + id.Str())
		}
	}
	return key.String()
}

// messageIDs names chunks without ids by what they say. Equal ones are counted.
type messageIDs map[string]int

func (m messageIDs) next(n jsonscan.Node) string {
	if id := n.Get("id"); id.Kind() == jsonscan.String && !id.Is("") {
		return id.Str()
	}
	key := chunkKey(n)
	sum := sha256.Sum256([]byte(key + "\x00" + strconv.Itoa(m[key])))
	m[key]++
	return hex.EncodeToString(sum[:6])
}
