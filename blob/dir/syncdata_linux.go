package dir

import "golang.org/x/sys/unix"

func (r *rootFS) CanSyncData() bool { return true }

func (r *rootFS) SyncData() error {
	return r.folders.in("sync", "./.", func(fd int, _ string) error { return unix.Syncfs(fd) })
}
