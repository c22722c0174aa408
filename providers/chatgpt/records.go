package chatgpt

import (
	"path"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// keptNames are the sidecars that become a record as a whole. What they hold is no conversation, or
// its form is not known. The lists of files become one as well, beside what is taken from them.
var keptNames = map[string]bool{
	"group_chats.json": true, "model_comparisons.json": true, "shopping.json": true, "sora.json": true, "user_settings.json": true,
	"basis_points.json": true, "tool_messages.json": true,
}

// keep makes a record of a sidecar.
func keep(u importer.Unit, j *joined) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	if holdsNothing(src.Root) {
		return nil, nil
	}
	return []importer.Item{{Record: &importer.Record{
		Kind: importer.RecordSetting, Provider: Provider, Title: strings.ToLower(path.Base(u.Member.Name)),
		AccountID: j.accountOf(u.Member), Raw: src.Root.AppendCompact(nil),
	}}}, nil
}

// holdsNothing tells whether a sidecar is empty: {"chats":[]}.
func holdsNothing(n jsonscan.Node) bool {
	switch n.Kind() {
	case jsonscan.Array:
		return n.Len() == 0
	case jsonscan.Object:
		for _, v := range n.Fields() {
			if !holdsNothing(v) {
				return false
			}
		}
		return true
	}
	return n.IsNull()
}

// accountKeys are what is kept of an account. Address, telephone number and year of birth have no
// place in a store of memories.
var accountKeys = []string{"id", "chatgpt_plus_user"}

// profile keeps the record of an account and tells how many of its keys that are.
func (j *joined) profile(m archive.Member, root jsonscan.Node) (kept int) {
	raw := object{}
	raw.open()
	var none normalize.Loss
	for _, key := range accountKeys {
		if v := root.Get(key); v.Exists() && !v.Odd() {
			raw.put(key, v, &none)
			kept++
		}
	}
	text := raw.close(0)
	if text == nil {
		return kept
	}
	r := importer.Record{Kind: importer.RecordProfile, Provider: Provider, Raw: text}
	if id := root.Get("id"); id.Kind() == jsonscan.String && !id.Odd() {
		r.ID, r.AccountID = id.Str(), id.Str()
	}
	j.profiles[m.Index] = r
	return kept
}
