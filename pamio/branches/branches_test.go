package branches

import (
	"slices"
	"testing"

	"github.com/pamline/pamline/pamio"
)

// conversation makes messages of "id<parent" texts; children are listed in the order of the texts.
func conversation(links ...[2]string) *pamio.Conversation {
	c := &pamio.Conversation{}
	for _, l := range links {
		c.Messages = append(c.Messages, pamio.Message{ID: l[0], ParentID: l[1]})
	}
	for i := range c.Messages {
		for _, m := range c.Messages {
			if m.ParentID == c.Messages[i].ID {
				c.Messages[i].ChildrenIDs = append(c.Messages[i].ChildrenIDs, m.ID)
			}
		}
	}
	return c
}

func branchesOf(c *pamio.Conversation) (all []string) {
	t := Of(c)
	for n := range t.Count() {
		way := ""
		for _, i := range t.Branch(n) {
			way += c.Messages[i].ID
		}
		all = append(all, way)
	}
	return all
}

func TestEachWayIsABranch(t *testing.T) {
	unlisted := conversation([2]string{"a", ""}, [2]string{"b", "a"}, [2]string{"c", "a"})
	unlisted.Messages[0].ChildrenIDs = []string{"c", "x", "c"}
	for name, c := range map[string]struct {
		c    *pamio.Conversation
		want []string
	}{
		"no messages":        {conversation(), nil},
		"no links":           {conversation([2]string{"a", ""}, [2]string{"b", ""}), []string{"ab"}},
		"one chain":          {conversation([2]string{"a", ""}, [2]string{"b", "a"}, [2]string{"c", "b"}), []string{"abc"}},
		"two answers":        {conversation([2]string{"a", ""}, [2]string{"b", "a"}, [2]string{"c", "a"}, [2]string{"d", "b"}), []string{"abd", "ac"}},
		"two first messages": {conversation([2]string{"a", ""}, [2]string{"b", ""}, [2]string{"c", "b"}), []string{"a", "bc"}},
		"a parent is absent": {conversation([2]string{"a", "x"}, [2]string{"b", "a"}), []string{"ab"}},
		"a circle":           {conversation([2]string{"a", "c"}, [2]string{"b", "a"}, [2]string{"c", "b"}), []string{"cab"}},
		"its own parent":     {conversation([2]string{"a", "a"}, [2]string{"b", "a"}), []string{"ab"}},
		"a child not listed": {unlisted, []string{"ac", "ab"}},
	} {
		got := branchesOf(c.c)
		if name == "a circle" { // where it is cut does not matter
			if len(got) != 1 || len(got[0]) != 3 {
				t.Errorf("%s: %q", name, got)
			}
			continue
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestAMessageKnowsItsBranchAndItsAlternatives(t *testing.T) {
	c := conversation([2]string{"a", ""}, [2]string{"b", "a"}, [2]string{"c", "a"}, [2]string{"d", "c"})
	tree := Of(c)
	if tree.BranchOf(0) != 0 || tree.BranchOf(3) != 1 || tree.Leaf(1) != 3 || tree.Length(1) != 3 {
		t.Errorf("branches %d, %d, leaf %d", tree.BranchOf(0), tree.BranchOf(3), tree.Leaf(1))
	}
	if got := tree.Alternatives(2); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("alternatives %v", got)
	}
	if got := tree.Alternatives(0); !slices.Equal(got, []int{0}) {
		t.Errorf("alternatives of the first message %v", got)
	}
}
