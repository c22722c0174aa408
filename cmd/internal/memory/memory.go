// Package memory decides how much memory a process aims to stay below, and tells the Go runtime:
// near that, the garbage collector works harder instead of taking more.
package memory

import (
	"io/fs"
	"math"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// Environ is the variable that goes before the setting; the runtime reads it by itself.
const Environ = "GOMEMLIMIT"

// Limit sets the limit of this process and gives it, in bytes. environ is the value of GOMEMLIMIT,
// setting that of the setting memory, 0 for none; root is the root of the file system; needed is
// what is taken when nobody says how much there is.
func Limit(environ string, setting int64, root fs.FS, needed int64) int64 {
	if environ != "" {
		if n := debug.SetMemoryLimit(-1); n != math.MaxInt64 { // GOMEMLIMIT=off is none
			return n
		}
		return needed
	}
	n := aim(setting, Allowed(root), needed)
	debug.SetMemoryLimit(n)
	return n
}

// aim is the setting, else 85 % of what is allowed, else what is needed.
func aim(setting, allowed, needed int64) int64 {
	switch {
	case setting > 0:
		return setting
	case allowed > 0:
		return allowed / 100 * 85
	}
	return needed
}

// Allowed is how much memory the kernel lets this process have by control groups, in bytes; 0 when
// they set no limit.
func Allowed(root fs.FS) (least int64) {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0 // not Linux, or hidden: nothing is known
	}
	for line := range strings.Lines(string(groups)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) < 3 {
			continue
		}
		var folder, file string
		switch {
		case part[0] == "0" && part[1] == "":
			folder, file = "sys/fs/cgroup", "memory.max"
		case strings.Contains(","+part[1]+",", ",memory,"):
			folder, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		// A group has at most what those around it have. In a container the path may be that of the
		// host, which is not there.
		for p := path.Clean("/" + part[2]); ; p = path.Dir(p) {
			if n := limitIn(root, path.Join(folder, p, file)); n > 0 && (least == 0 || n < least) {
				least = n
			}
			if p == "/" {
				break
			}
		}
	}
	return least
}

// unlimited is from where on a limit of the first version of control groups is none.
const unlimited = 1 << 50

func limitIn(root fs.FS, name string) int64 {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64) // "max" is none
	if err != nil || n >= unlimited {
		return 0
	}
	return n
}
