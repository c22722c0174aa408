// Package api is what a running process answers about imports on its own HTTP endpoint, and the
// commands' side of it. What is read is in read.go (docs/api.md); what changes something is in
// admin.go.
package api

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrNotRunning: no service answers for the data folder.
var ErrNotRunning = errors.New("no service is running")

// addrFile holds the address of the service that uses a data folder.
const addrFile = "http.addr"

// Announce writes the address of this process's endpoint into the data folder; forget removes it.
func Announce(folder, addr string) (forget func() error, err error) {
	path := filepath.Join(folder, addrFile)
	// Whole at once: who sees the file reads the address in it.
	temporary := path + ".new"
	err = os.WriteFile(temporary, []byte(addr+"\n"), 0o600)
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return nil, fmt.Errorf("announce service: %w", err)
	}
	return func() error { return os.Remove(path) }, nil
}

// WasKilled tells whether the service that used a data folder before was killed: its address is
// still there. Call it with the folder locked, and before Announce.
func WasKilled(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, addrFile))
	return err == nil
}

// folderHeader tells which data folder a service uses, by the digest of its path. The address in a
// data folder may be that of a service that was killed, and the port somebody else's by now.
const folderHeader = "Pamline-Data-Folder"

func folderID(folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real // asked through a link it is the same folder
	}
	sum := sha256.Sum256([]byte(folder))
	return hex.EncodeToString(sum[:])
}
