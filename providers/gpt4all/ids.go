package gpt4all

import (
	"strconv"

	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// The rules that make ids. They are frozen: a better reader never renames what an older one made.

// name gives the conversation the id that the file has.
func name(b *lossless.Builder) {
	b.IDIn(localapp.Space(app), b.Root().Get("id").Str())
}

// messageID is the id of the i-th item; its parts have #0, #1 … behind it.
func messageID(i int) string { return "m" + strconv.Itoa(i) }
