package state

import (
	"path"
	"slices"
	"strings"
)

// What a person can do about an object that cannot be decoded, by the parts of its key: the first row whose parts all stand in it.
var unusableHints = []struct {
	parts []string
	do    string
}{
	{[]string{"work", "requests"}, "remove it, and import or replay the drop again"},
	{[]string{"work", "markers"}, "remove it, and import or replay the drop again: its shard is extracted again"},
	{[]string{"work"}, "remove it: it is written anew"},
	{[]string{"drops"}, "remove it: what it is about is looked at again"},
	{[]string{"inbox"}, "drop the archive again"},
	{[]string{"imports", "receipt.json"}, "restore it from a backup, or remove it and import or replay the drop again, which writes it anew"},
	{[]string{"imports", "manifest.json"}, "restore it from a backup, or remove it and import the drop again, which reads it anew"},
	{[]string{"imports", "spent.json"}, "remove it, and import the drop again: what asking a model has taken is then counted from nothing"},
	{[]string{"owners", "edits.jsonl"}, "mend the line, or restore it from a backup: until then nothing is published for this owner"},
	{[]string{"owners", "head.json"}, "restore it from a backup, with the objects that it names: until then nothing is published for this owner"},
}

// UnusableHint says what to do about an object that cannot be decoded.
func UnusableHint(key string) string {
	do := "restore it from a backup, or import the drop again into a fresh data folder"
	parts := strings.Split(path.Clean(key), "/")
	for _, h := range unusableHints {
		if !slices.ContainsFunc(h.parts, func(p string) bool { return !slices.Contains(parts, p) }) {
			do = h.do
			break
		}
	}
	return "if a newer version of pamline wrote it, that one can use it; else it is damaged: " + do
}
