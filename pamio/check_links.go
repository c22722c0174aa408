package pamio

import "strconv"

// links checks that ids are unique and that parents and children name each other without a cycle.
func (k *checker) links(messages []Message) {
	place := make(map[string]int, len(messages))
	for i := range messages {
		id := messages[i].ID
		if _, ok := place[id]; ok {
			k.fail(strconv.Itoa(i)+"/id", "the same id as message %d", place[id])
			return
		}
		place[id] = i
	}
	find := func(id string, near int) (int, bool) {
		// Most conversations are one chain in its order.
		if near >= 0 && near < len(messages) && messages[near].ID == id {
			return near, true
		}
		i, ok := place[id]
		return i, ok
	}
	parents := make([]int, len(messages))
	children, linked := 0, 0
	for i := range messages {
		m := &messages[i]
		children += len(m.ChildrenIDs)
		parents[i] = -1
		if m.ParentID == "" {
			continue
		}
		p, ok := find(m.ParentID, i-1)
		if !ok {
			k.fail(strconv.Itoa(i)+"/parent_id", "no such message")
			return
		}
		parents[i] = p
		linked++
	}
	for i := range messages {
		if !k.children(i, messages[i].ChildrenIDs, find, parents) {
			return
		}
	}
	// Every child that is named has this parent, and none is named twice: equal numbers mean that
	// every parent names it.
	if children != linked {
		k.unnamed(messages, place)
		return
	}
	k.acyclic(parents)
}

func (k *checker) children(i int, ids []string, find func(id string, near int) (int, bool), parents []int) bool {
	var seen map[int]bool
	if len(ids) > 1 {
		seen = make(map[int]bool, len(ids))
	}
	for n, id := range ids {
		child, ok := find(id, i+1)
		if ok && parents[child] == i && !seen[child] {
			if seen != nil {
				seen[child] = true
			}
			continue
		}
		at := strconv.Itoa(i) + "/children_ids/" + strconv.Itoa(n)
		switch {
		case !ok:
			k.fail(at, "no such message")
		case parents[child] != i:
			k.fail(at, "message %d does not have this one as its parent", child)
		default:
			k.fail(at, "named twice")
		}
		return false
	}
	return true
}

// unnamed reports a message that its parent does not list.
func (k *checker) unnamed(messages []Message, place map[string]int) {
	listed := make(map[string]bool, len(messages))
	for i := range messages {
		for _, id := range messages[i].ChildrenIDs {
			listed[id] = true
		}
	}
	for i := range messages {
		if p := messages[i].ParentID; p != "" && !listed[messages[i].ID] {
			k.fail(strconv.Itoa(i)+"/parent_id", "message %d does not list this one among its children", place[p])
			return
		}
	}
}

// acyclic follows each message to its root once.
func (k *checker) acyclic(parents []int) {
	const onPath, done = 1, 2
	state := make([]byte, len(parents))
	for i := range parents {
		j := i
		for ; j >= 0 && state[j] == 0; j = parents[j] {
			state[j] = onPath
		}
		if j >= 0 && state[j] == onPath {
			k.fail(strconv.Itoa(j)+"/parent_id", "the message is its own ancestor")
			return
		}
		for j = i; j >= 0 && state[j] == onPath; j = parents[j] {
			state[j] = done
		}
	}
}
