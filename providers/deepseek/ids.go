package deepseek

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// derivedSpace is the namespace of conversations without an id.
const derivedSpace = "deepseek/derived"

// nameConversation gives the document its id. The rules are FROZEN: a document that was named once
// keeps its name.
//
//  1. id, else conversation_id, of the conversation;
//  2. else what never changes when the conversation grows or is renamed: when it began and its
//     first message as a whole;
//  3. a conversation without these: the digest of the element.
//
// Node ids are unique inside their conversation only; messages keep them.
func nameConversation(b *lossless.Builder, root jsonscan.Node) {
	for _, key := range []string{"id", "conversation_id"} {
		if id := root.Get(key).Str(); id != "" {
			b.ID(id)
			return
		}
	}
	var key []byte
	for _, k := range []string{"inserted_at", "create_time"} {
		if v := root.Get(k); v.Exists() && !v.IsNull() {
			key = normalize.AppendIdentity(key, v)
			break
		}
	}
	for _, node := range root.Get("mapping").Fields() {
		if m := node.Get("message"); m.Kind() == jsonscan.Object {
			key = normalize.AppendIdentity(append(key, 0), m)
			break
		}
	}
	if len(key) == 0 {
		b.ID("")
		return
	}
	b.DerivedID(derivedSpace, string(key))
}
