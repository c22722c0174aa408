package huggingchat

import (
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// name gives the conversation its id, which the export has. This rule is frozen: a better reader
// never renames what an older one made.
func name(b *lossless.Builder) {
	b.IDIn(localapp.Space(app), b.Root().Get("_id").Str())
}
