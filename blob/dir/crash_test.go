//go:build unix

package dir

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"time"
)

// damage says what of the unsynced state a restart finds.
type damage struct {
	name string
	// pick chooses among n states, of which the first is the one that was synced and the last the
	// newest.
	pick func(n int) int
}

func damages(seed uint64) []damage {
	rnd := rand.New(rand.NewPCG(seed, 7))
	return []damage{
		{"all lost", func(int) int { return 0 }},
		{"all kept", func(n int) int { return n - 1 }},
		{"mixed", rnd.IntN},
		{"mixed otherwise", rnd.IntN},
	}
}

// crash gives the file system that a restart finds. Each name of each folder takes one of the
// states it had since the folder was synced, each file that was not synced is what was synced, what
// was written, or torn.
func (f *powerFS) crash(d damage) *powerFS {
	f.mu.Lock()
	defer f.mu.Unlock()
	after := newPowerFS(-1)
	after.stamp, after.inodes = f.stamp, f.inodes
	done := make(map[*node]*node)
	after.root = revive(f.root, d, done)
	return after
}

func revive(n *node, d damage, done map[*node]*node) *node {
	if r := done[n]; r != nil {
		return r
	}
	r := &node{inode: n.inode, folder: n.folder}
	done[n] = r
	if !n.folder {
		r.data, r.time = tear(n, d)
		r.synced, r.timeOld = bytes.Clone(r.data), r.time
		return r
	}
	r.names, r.onDisk, r.since = map[string]*node{}, map[string]*node{}, map[string][]*node{}
	var names []string
	for name := range n.onDisk {
		names = append(names, name)
	}
	for name := range n.since {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		states := append([]*node{n.onDisk[name]}, n.since[name]...)
		if c := states[d.pick(len(states))]; c != nil {
			child := revive(c, d, done)
			r.names[name], r.onDisk[name] = child, child
		}
	}
	return r
}

func tear(n *node, d damage) ([]byte, time.Time) {
	if bytes.Equal(n.data, n.synced) && n.time.Equal(n.timeOld) {
		return n.data, n.time
	}
	states := [][]byte{n.synced}
	if len(n.data) > 0 {
		half := len(n.data) / 2
		zeros := append(bytes.Clone(n.data[:half]), make([]byte, len(n.data)-half)...)
		states = append(states, n.data[:half], zeros)
	}
	states = append(states, n.data)
	i := d.pick(len(states))
	if i == 0 {
		return n.synced, n.timeOld
	}
	return states[i], n.time
}
