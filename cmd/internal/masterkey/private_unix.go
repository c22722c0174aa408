//go:build !windows

package masterkey

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// containerSecrets is where container engines mount secrets, which the container alone sees.
const containerSecrets = "/run/secrets/"

// isPrivate tells whether a key file is kept from other users. Secrets that were mounted for this
// process belong to another user, who has set their mode: systemd and Kubernetes let a group read
// them, and Compose everybody within the container.
func isPrivate(path string, info fs.FileInfo) bool {
	mode := info.Mode().Perm()
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int64(owner.Uid) == int64(os.Geteuid()) {
		return mode&0o077 == 0
	}
	return mode&0o007 == 0 || strings.HasPrefix(filepath.Clean(path), containerSecrets)
}
