package objects

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/pamline/pamline/pipeline/fault"
)

// unusableHints say what a person can do about an object that cannot be decoded: the first row
// counts whose parts are all in its key.
var unusableHints = []struct {
	parts []string
	do    string
}{
	{[]string{"work"}, "remove it: it is written anew"},
	{[]string{"drops"}, "remove it: what it is about is looked at again"},
	{[]string{"inbox"}, "drop the archive again"},
	{[]string{"failed"}, "remove it, and redrive or replay the drop"},
	{[]string{"jobs"}, "restore it from a backup: until then the drop cannot be imported again"},
	{[]string{"owners", "job.json"}, "restore it from a backup: until then no edit is accepted for this owner"},
	{[]string{"receipts"}, "restore it from a backup: the report of this import is lost, the store is not"},
	{[]string{"imports", "manifest.json"}, "restore it from a backup, or remove it and import the drop again, which reads it anew"},
	{[]string{"imports", "candidates"}, "restore it from a backup, or remove it and import or replay the drop again, which extracts it anew"},
	{[]string{"imports", "snapshots"}, "restore it from a backup, or remove the folder of its import and import the drop again"},
	{[]string{"imports", "spent.json"}, "remove it, and import the drop again: what asking a model has taken is then counted from nothing"},
	{[]string{"edits"}, "restore it from a backup: until then nothing is published for this owner"},
	{[]string{"owners", "erasures.json"}, "restore it from a backup: until then nothing is imported for this owner, since what was erased would come back. Without a backup, remove erasures.json and the folder erasures beside it, and erase again"},
	{[]string{"owners", "inputs"}, "restore it from a backup: until then nothing is published for this owner"},
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
	return "if a newer version of pamline wrote it, that one can use it; else it is damaged: `pamline fsck --repair` repairs what other objects give; if it cannot, " + do
}

// Damaged is the permanent fault of an object that cannot be decoded.
func Damaged(key string, err error) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		return err
	}
	return fault.Permanentf(UnusableHint(key), "read %s: %w", key, err)
}
