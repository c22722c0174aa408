package mistral

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// link hangs regenerated answers beside those that they replace: an answer that says over which it
// was preferred beside that one, and one with a version above the first directly behind another
// answer beside this. What follows hangs on the preferred answer, else on the newest. A
// conversation without such answers is not linked: its order says everything.
func link(turns []turn) {
	byID := map[string]int{}
	for i, t := range turns {
		if id := t.node.Get("id").Str(); id != "" {
			if _, twice := byID[id]; !twice {
				byID[id] = i
			}
		}
	}
	siblings := false
	beside := make([]int, len(turns)) // the earlier answer that each stands beside, -1 for none
	rejected := make([]bool, len(turns))
	for i := range beside {
		beside[i] = -1
	}
	for i, t := range turns {
		if t.role != normalize.RoleAssistant {
			continue
		}
		// An answer over which another was preferred is followed by nothing.
		if over, named := byID[t.node.Get("preferenceOver").Str()]; named && over != i && turns[over].role == normalize.RoleAssistant {
			rejected[over], siblings = true, true
			beside[max(i, over)] = min(i, over)
			continue
		}
		if beside[i] < 0 && i > 0 && turns[i-1].role == normalize.RoleAssistant && versioned(t.node) {
			beside[i], siblings = i-1, true
		}
	}
	if !siblings {
		return
	}
	parents := make([]*lossless.Object, len(turns))
	var tail *lossless.Object
	for i, t := range turns {
		parents[i] = tail
		if beside[i] >= 0 {
			parents[i] = parents[beside[i]]
		}
		if parents[i] == nil {
			t.object.Root()
		} else {
			t.object.Parent(parents[i])
		}
		if !rejected[i] {
			tail = t.object
		}
	}
}

// versioned tells whether an answer is another version than the first.
func versioned(n jsonscan.Node) bool {
	v := n.Get("version")
	return v.Kind() == jsonscan.Number && !normalize.SameNumber(v.Raw(), []byte("0"))
}
