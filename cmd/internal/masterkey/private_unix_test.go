//go:build unix

package masterkey

import (
	"io/fs"
	"os"
	"syscall"
	"testing"
	"time"
)

// owned describes a file of a user.
type owned struct {
	mode fs.FileMode
	uid  uint32
}

func (o owned) Name() string       { return "master.key" }
func (o owned) Size() int64        { return 1 }
func (o owned) Mode() fs.FileMode  { return o.mode }
func (o owned) ModTime() time.Time { return time.Time{} }
func (o owned) IsDir() bool        { return false }
func (o owned) Sys() any           { return &syscall.Stat_t{Uid: o.uid} }

func TestAKeyFileIsPrivateByOwnerModeAndPlace(t *testing.T) {
	t.Parallel()
	me := uint32(os.Geteuid()) //nolint:gosec // ids of users are small
	other := me + 1
	for _, c := range []struct {
		path string
		file owned
		want bool
	}{
		{"/home/ana/master.key", owned{0o600, me}, true},
		{"/home/ana/master.key", owned{0o400, me}, true},
		{"/home/ana/master.key", owned{0o640, me}, false},
		{"/home/ana/master.key", owned{0o604, me}, false},
		{"/run/secrets/master.key", owned{0o644, me}, false},
		{"/etc/keys/master.key", owned{0o440, other}, true},
		{"/etc/keys/master.key", owned{0o444, other}, false},
		{"/run/secrets/master.key", owned{0o444, other}, true},
		{"/run/secrets/../../etc/keys/master.key", owned{0o444, other}, false},
		{"/run/secretsx/master.key", owned{0o444, other}, false},
	} {
		if got := isPrivate(c.path, c.file); got != c.want {
			t.Errorf("%s of %d with mode %04o: %t", c.path, c.file.uid, c.file.mode, got)
		}
	}
}
