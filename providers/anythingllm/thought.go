package anythingllm

import (
	"bytes"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Models that think put it into a tag before the answer. Before an element is divided, such an
// answer
//
//	"<think>\nHm.\n</think>\n\nAssam."
//
// is cut, with the white space around the texts in the tags, and put together again by restore:
//
//	{"$thought":{"open":"<think>\n","thought":"Hm.","close":"\n</think>\n\n","text":"Assam."}}
const keyThought = "$thought"

// tags are the names that the app knows.
var tags = []string{"thought_chain", "thinking", "thought", "think"}

// cutThought cuts an answer; ok is false when it does not begin with a thought that ends.
func cutThought(answer string) (open, thought, end, text string, ok bool) {
	at := len(answer) - len(strings.TrimLeft(answer, blank))
	for _, tag := range tags {
		if !strings.HasPrefix(answer[at:], "<"+tag+">") {
			continue
		}
		from := at + len(tag) + 2
		n := strings.Index(answer[from:], "</"+tag+">")
		if n < 0 {
			continue
		}
		inner := answer[from : from+n]
		behind := from + n + len(tag) + 3
		from += len(inner) - len(strings.TrimLeft(inner, blank))
		to := from + len(strings.Trim(inner, blank))
		text = strings.TrimLeft(answer[behind:], blank)
		return answer[:from], answer[from:to], answer[to : len(answer)-len(text)], text, true
	}
	return "", "", "", "", false
}

// blank is the white space of JSON.
const blank = " \t\r\n"

// answers visits the places of an element where an answer stands.
func answers(form string, root jsonscan.Node, visit func(path string, n jsonscan.Node)) {
	list, at := root, ""
	switch form {
	case formDatabase:
		list, at = root.Get("chats"), "/chats"
	case formLines:
		list, at = root.Get("messages"), "/messages"
	}
	if list.Kind() != jsonscan.Array {
		return
	}
	i := 0
	for row := range list.Items() {
		path := at + "/" + digits(i)
		i++
		switch form {
		case formLines:
			if !row.Get("role").Is("assistant") {
				continue
			}
			visit(path+"/content", row.Get("content"))
			j := 0
			for part := range row.Get("content").Items() {
				visit(path+"/content/"+digits(j)+"/text", part.Get("text"))
				j++
			}
		case formAlpaca:
			visit(path+"/output", row.Get("output"))
		default:
			visit(path+"/response", row.Get("response"))
			visit(path+"/response/text", row.Get("response").Get("text"))
		}
	}
}

// cutThoughts gives an element with its answers cut, nil when there is no thought in them.
func cutThoughts(form string, root jsonscan.Node) []byte {
	if root.Odd() || bytes.Contains(root.Raw(), []byte(keyThought)) || !bytes.Contains(root.Raw(), []byte("th")) {
		return nil
	}
	var patches []normalize.Patch
	answers(form, root, func(path string, n jsonscan.Node) {
		if n.Kind() != jsonscan.String {
			return
		}
		open, thought, end, text, ok := cutThought(n.Str())
		if !ok {
			return
		}
		out := pamio.AppendString([]byte(`{"`+keyThought+`":{"open":`), open)
		out = pamio.AppendString(append(out, `,"thought":`...), thought)
		out = pamio.AppendString(append(out, `,"close":`...), end)
		out = append(pamio.AppendString(append(out, `,"text":`...), text), "}}"...)
		patches = append(patches, normalize.Patch{Path: path, Value: out})
	})
	if len(patches) == 0 {
		return nil
	}
	return normalize.AppendOverlay(nil, root, patches)
}

// joinThoughts is the inverse of cutThoughts.
func joinThoughts(form string, root jsonscan.Node) []byte {
	var patches []normalize.Patch
	answers(form, root, func(path string, n jsonscan.Node) {
		if t := n.Get(keyThought); t.Kind() == jsonscan.Object {
			whole := t.Get("open").Str() + t.Get("thought").Str() + t.Get("close").Str() + t.Get("text").Str()
			patches = append(patches, normalize.Patch{Path: path, Value: pamio.AppendString(nil, whole)})
		}
	})
	return normalize.AppendOverlay(nil, root, patches)
}
