package fold

import (
	"errors"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Some members of a message's raw_metadata say how a field of the document stood in the source:
// what is left of it or of the content, the places of its texts, the key of the model. They mean
// nothing beside a value that another snapshot gave, so they are not united: the snapshot whose
// field won gives them, or there are none.
var (
	bodyMembers  = []string{"content", "text_from", "input_style", "source", "restore"}
	modelMembers = []string{"model_from"}
)

// followers gives the members that follow a field, with the version that they are taken from.
func followers(versions []version[*pamio.Message]) map[string]int {
	out := map[string]int{}
	follow := func(members []string, has func(*pamio.Message) bool) {
		for i := len(versions) - 1; i >= 0; i-- {
			if !has(versions[i].value) {
				continue
			}
			for _, key := range members {
				out[key] = i
			}
			return
		}
	}
	follow(bodyMembers, func(*pamio.Message) bool { return true })
	follow(bodyMembers, hasBody)
	follow(modelMembers, func(v *pamio.Message) bool { return v.Model != "" })
	return out
}

// headFollowers gives the members of the conversation's own raw_metadata that follow the latest
// version.
func headFollowers(versions int) map[string]int { return map[string]int{"restore": versions - 1} }

// hasBody tells whether a message says something: its text can be the input of a tool call instead.
func hasBody(v *pamio.Message) bool {
	if v.Content != nil {
		return true
	}
	for _, t := range v.ToolCalls {
		if len(t.Input) > 0 {
			return true
		}
	}
	return false
}

// following reads the members that follow a field and notes those of the other versions; a nil
// value is one that the followed version does not have.
func (m *merger) following(pointer string, follow map[string]int, versions []version[pamio.RawJSON]) map[string]pamio.RawJSON {
	if len(follow) == 0 {
		return nil
	}
	roots := make([]jsonscan.Node, len(versions))
	for i, v := range versions {
		if len(v.value) == 0 {
			continue
		}
		doc, err := jsonscan.Parse(v.value, 0)
		if err != nil {
			m.err = errors.Join(m.err, err)
			continue
		}
		roots[i] = doc.Root()
	}
	fixed := make(map[string]pamio.RawJSON, len(follow))
	for _, key := range append(append([]string(nil), bodyMembers...), modelMembers...) {
		from, ok := follow[key]
		if !ok {
			continue
		}
		won := roots[from].Get(key)
		fixed[key] = nil
		if won.Exists() {
			fixed[key] = won.AppendCompact(nil)
		}
		for i, root := range roots {
			if v := root.Get(key); v.Exists() && (!won.Exists() || !normalize.Equal(v, won)) {
				m.lose(pointer+"/"+key, versions[i].order, v.AppendCompact(nil))
			}
		}
	}
	return fixed
}
