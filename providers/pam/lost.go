package pam

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/schema"
)

// renameRepeated gives a message whose id an earlier message has an id of its own; PAM wants ids to
// be unique, and links name the first. The repeated id is kept.
func renameRepeated(messages []any) {
	seen := map[any]bool{}
	for _, one := range messages {
		seen[one.(map[string]any)["id"]] = true
	}
	met := map[any]bool{}
	for _, one := range messages {
		m := one.(map[string]any)
		id, _ := m["id"].(string)
		if !met[id] {
			met[id] = true
			continue
		}
		name := ""
		for n := 2; name == "" || seen[name]; n++ {
			name = id + "~" + strconv.Itoa(n)
		}
		seen[name] = true
		m["id"] = name
		keep(m, "raw_metadata", map[string]any{"/id": id})
	}
}

// keepLost moves what a written document lacks of the object that it was read from into unknown
// members: empty texts that mean something elsewhere, and links that lead nowhere.
func keepLost(o map[string]any, doc *pamio.Conversation) (changed bool, err error) {
	v, err := schema.Decode(doc.AppendJSON(nil))
	if err != nil {
		return false, fmt.Errorf("read what was written: %w", err)
	}
	written, _ := v.(map[string]any)
	before, _ := o[messagesKey].([]any)
	after, _ := written[messagesKey].([]any)
	if len(before) != len(after) {
		return false, fmt.Errorf("read what was written: %d messages of %d", len(after), len(before))
	}
	for i := range before {
		m := before[i].(map[string]any)
		changed = keepMissing(m, after[i].(map[string]any)) || changed
	}
	delete(o, messagesKey)
	delete(written, messagesKey)
	changed = keepMissing(o, written) || changed
	o[messagesKey] = before
	return changed, nil
}

// keepMissing moves the members of an object that another lacks into its unknown members.
func keepMissing(in, out map[string]any) bool {
	taken := map[string]any{}
	for _, at := range missingPaths(in, out, nil) {
		if v, ok := removeAt(in, at); ok {
			taken[pointerOf(at)] = v
		}
	}
	keep(in, "raw_metadata", taken)
	return len(taken) > 0
}

// missingPaths are the paths of members that have another value elsewhere, or none. Lists go as a
// whole.
func missingPaths(in, out map[string]any, path []string) (all [][]string) {
	for key, v := range in {
		at := append(slices.Clone(path), key)
		other, there := out[key]
		inner, isObject := v.(map[string]any)
		outer, _ := other.(map[string]any)
		switch {
		case key == "raw_metadata" || isVoid(v) && !there:
		case isObject && there:
			all = append(all, missingPaths(inner, outer, at)...)
		case !isSame(key, v, other):
			all = append(all, at)
		}
	}
	return all
}

// isVoid tells that a value means the same as its absence.
func isVoid(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// isSame compares the values of a member. The order of children says nothing, and children that
// were not named follow from their parents.
func isSame(key string, v, other any) bool {
	if key == "children_ids" {
		list, _ := v.([]any)
		more, _ := other.([]any)
		return !slices.ContainsFunc(list, func(id any) bool { return !slices.Contains(more, id) })
	}
	list, ok := v.([]any)
	more, _ := other.([]any)
	if !ok {
		return reflect.DeepEqual(v, other)
	}
	if len(list) != len(more) {
		return false
	}
	for i := range list {
		inner, ok := list[i].(map[string]any)
		outer, _ := more[i].(map[string]any)
		if ok && len(missingPaths(inner, outer, nil)) > 0 || !ok && !reflect.DeepEqual(list[i], more[i]) {
			return false
		}
	}
	return true
}
