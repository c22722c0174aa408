package jan

import (
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// name gives the conversation its id: that of its thread, as the thread or else its first message
// has it. This rule is frozen: a better reader never renames what an older one made.
func name(b *lossless.Builder) {
	b.IDIn(localapp.Space(app), threadID(b.Root()))
}

func threadID(root jsonscan.Node) string {
	if id := root.Get("thread").Get("id").Str(); id != "" {
		return id
	}
	for m := range root.Get("messages").Items() {
		if id := m.Get("thread_id").Str(); id != "" {
			return id
		}
	}
	return ""
}
