package grok

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// derivedSpace is the namespace of conversations without an id.
const derivedSpace = "grok/derived"

// nameConversation gives the document its id. The rules are FROZEN: a document that was named once
// keeps its name.
//
//  1. conversation.conversation_id, else conversation.id;
//  2. else conversation_id of the first response that has one (exports with "conversation": null);
//  3. else what never changes when the conversation grows or is renamed: when it began
//     (conversation.create_time), and time, sender and text of its first response;
//  4. an element with none of these: the digest of the element.
func nameConversation(b *lossless.Builder, conversation, responses jsonscan.Node) {
	id := importer.FirstText(conversation, "conversation_id", "id")
	for r := range responses.Items() {
		if id != "" {
			break
		}
		id = importer.FirstText(body(r), "conversation_id")
	}
	if id != "" {
		b.ID(id)
		return
	}
	key := normalize.AppendIdentity(nil, conversation.Get("create_time"))
	for r := range responses.Items() {
		for _, k := range []string{"create_time", "sender", "message"} {
			key = append(key, 0)
			if v := body(r).Get(k); v.Exists() {
				key = normalize.AppendIdentity(key, v)
			}
		}
		break
	}
	if len(key) < len("\x00\x00\x00\x00") {
		b.ID("")
		return
	}
	b.DerivedID(derivedSpace, string(key))
}
