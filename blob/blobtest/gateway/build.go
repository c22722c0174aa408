package gateway

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

const (
	modulePath = "github.com/pamline/pamline"
	command    = "github.com/versity/versitygw/cmd/versitygw"
)

// binary gives the path of the server, built once per version and kept in the user's cache folder.
var binary = sync.OnceValues(func() (string, error) {
	root, err := repository()
	if err != nil {
		return "", err
	}
	tools := filepath.Join(root, "tools", "versitygw")
	name, err := binaryName(tools)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a cache folder: %w", err)
	}
	folder := filepath.Join(cache, "pamline")
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	return path, build(tools, folder, path)
})

// build writes to a name of its own first: several test binaries may build at the same time.
func build(tools, folder, path string) (err error) {
	tmp, err := os.MkdirTemp(folder, "build-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	out := filepath.Join(tmp, "versitygw")
	cmd := exec.Command("go", "build", "-C", tools, "-o", out, command)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", command, err, text)
	}
	return os.Rename(out, path)
}

// binaryName changes with whatever the build depends on.
func binaryName(tools string) (string, error) {
	h := sha256.New()
	for _, f := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(tools, f))
		if err != nil {
			return "", err
		}
		h.Write(data)
	}
	h.Write([]byte(runtime.Version() + runtime.GOOS + runtime.GOARCH))
	return fmt.Sprintf("versitygw-%x", h.Sum(nil)[:8]), nil
}

// repository finds the root of this module above the folder of the running test.
func repository() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		data, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if err == nil && strings.HasPrefix(string(data), "module "+modulePath+"\n") {
			return folder, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", errors.New("the test does not run inside the repository")
		}
		folder = parent
	}
}
