// Package toolbin builds programs that are pinned in modules of their own under tools/, once per
// version, keeps them in the user's cache folder, and runs them. It lies here, on the ground floor,
// because tests of every room and tools alike run such programs.
package toolbin

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Tool is a program of a module under tools/.
type Tool struct {
	Name   string // of the binary
	Folder string // of the module, under tools/
	Path   string // of the package
}

// Servers that the pipeline runs against.
var (
	NATSServer = Tool{"nats-server", "natsserver", "github.com/nats-io/nats-server/v2"}
	VersityGW  = Tool{"versitygw", "versitygw", "github.com/versity/versitygw/cmd/versitygw"}
)

const modulePath = "github.com/pamline/pamline"

// Build gives the path of the program, built if it was not yet. root is the repository ([Root]).
func (t Tool) Build(root string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a cache folder: %w", err)
	}
	return t.in(filepath.Join(cache, "pamline"), filepath.Join(root, "tools", t.Folder))
}

// in is Build with the folder that programs are kept in.
func (t Tool) in(folder, module string) (string, error) {
	name, err := t.versioned(module)
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("make cache folder: %w", err)
	}
	return path, t.build(module, folder, path)
}

// build writes to a name of its own first: several may build at the same time.
func (t Tool) build(module, folder, path string) (err error) {
	tmp, err := os.MkdirTemp(folder, "build-")
	if err != nil {
		return fmt.Errorf("make build folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	out := filepath.Join(tmp, t.Name)
	if text, err := exec.Command("go", "build", "-C", module, "-o", out, t.Path).CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s(the module proxy is needed the first time)", t.Path, err, text)
	}
	return os.Rename(out, path)
}

// versioned is a name that changes with whatever the build depends on.
func (t Tool) versioned(module string) (string, error) {
	h := sha256.New()
	for _, f := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(module, f))
		if err != nil {
			return "", fmt.Errorf("read module of %s: %w", t.Name, err)
		}
		h.Write(data)
	}
	h.Write([]byte(runtime.Version() + runtime.GOOS + runtime.GOARCH))
	return fmt.Sprintf("%s-%x", t.Name, h.Sum(nil)[:8]), nil
}

// Root finds the repository above the working folder.
func Root() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find repository: %w", err)
	}
	for {
		data, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if err == nil && strings.HasPrefix(string(data), "module "+modulePath+"\n") {
			return folder, nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", errors.New("find repository: run this inside it")
		}
		folder = parent
	}
}
