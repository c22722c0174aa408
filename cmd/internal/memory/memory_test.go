package memory

import (
	"testing"
	"testing/fstest"
)

func TestTheLeastLimitOfTheGroupsOfAProcessIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no control groups":       {nil, 0},
		"none is set":             {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 0},
		"its own":                 {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "2147483648\n"}, 2 << 30},
		"that of one around it":   {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "1000000\n", "sys/fs/cgroup/a/b/memory.max": "2000000\n"}, 1000000},
		"path of the host":        {map[string]string{"proc/self/cgroup": "0::/../host\n", "sys/fs/cgroup/memory.max": "3000000\n"}, 3000000},
		"first version":           {map[string]string{"proc/self/cgroup": "9:cpu:/x\n7:memory:/y\n", "sys/fs/cgroup/memory/y/memory.limit_in_bytes": "4000000\n"}, 4000000},
		"first version, no limit": {map[string]string{"proc/self/cgroup": "7:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
	} {
		root := fstest.MapFS{}
		for n, text := range c.files {
			root[n] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := Allowed(root); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestTheSettingGoesBeforeTheKernelAndThatBeforeTheNeed(t *testing.T) {
	for _, c := range []struct{ setting, allowed, needed, want int64 }{
		{1000, 2000, 3000, 1000}, {0, 2000, 3000, 1700}, {0, 0, 3000, 3000},
	} {
		if got := aim(c.setting, c.allowed, c.needed); got != c.want {
			t.Errorf("setting %d, allowed %d, needed %d: %d, want %d", c.setting, c.allowed, c.needed, got, c.want)
		}
	}
}
