package toolbin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module is one with a program in it that needs nothing from elsewhere.
func module(t *testing.T) (Tool, string) {
	t.Helper()
	folder := t.TempDir()
	write(t, folder, "go.mod", "module example.net/said\n\ngo 1.26\n")
	write(t, folder, "go.sum", "")
	write(t, folder, "main.go", "package main\n\nfunc main() { println(\"said\") }\n")
	return Tool{Name: "said", Folder: "said", Path: "example.net/said"}, folder
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAProgramIsBuiltOncePerVersion(t *testing.T) {
	tool, folder := module(t)
	cache := filepath.Join(t.TempDir(), "cache")
	first, err := tool.in(cache, folder)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(first); err != nil || info.Mode()&0o100 == 0 || !strings.HasPrefix(filepath.Base(first), "said-") {
		t.Errorf("%s: %v, %v", first, info, err)
	}
	// From here on it cannot be built: what is given is what was kept.
	write(t, folder, "main.go", "no program")
	if again, err := tool.in(cache, folder); err != nil || again != first {
		t.Errorf("asked again: %s, %v", again, err)
	}
	for _, changed := range []string{"go.mod", "go.sum"} {
		write(t, folder, changed, "module example.net/said\n\ngo 1.26\n\n")
		if other, err := tool.in(cache, folder); err == nil || !strings.Contains(err.Error(), "go build example.net/said") || !strings.Contains(err.Error(), "module proxy") {
			t.Errorf("with another %s: %s, %v", changed, other, err)
		}
	}
	if left, err := os.ReadDir(cache); err != nil || len(left) != 1 {
		t.Errorf("beside the program there is %v, %v", left, err)
	}
}

func TestAModuleThatIsNotThereIsNamed(t *testing.T) {
	_, err := NATSServer.in(t.TempDir(), filepath.Join(t.TempDir(), "none"))
	if err == nil || !strings.Contains(err.Error(), "read module of nats-server") || !strings.Contains(err.Error(), "none") {
		t.Errorf("got %v", err)
	}
}

func TestEveryServerHasItsModule(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []Tool{NATSServer, VersityGW} {
		text, err := os.ReadFile(filepath.Join(root, "tools", tool.Folder, "go.mod"))
		if err != nil || !strings.Contains(string(text), "tool "+tool.Path+"\n") {
			t.Errorf("tools/%s does not pin %s: %v", tool.Folder, tool.Path, err)
		}
	}
}

func TestOutsideTheRepositoryItIsNotFound(t *testing.T) {
	t.Chdir(t.TempDir())
	if root, err := Root(); err == nil || !strings.Contains(err.Error(), "run this inside it") {
		t.Errorf("%s, %v", root, err)
	}
}

func TestNoPortIsGivenTwiceOrTakenByThoseWhoListenAnywhere(t *testing.T) {
	given := map[int]bool{}
	for range 50 {
		port, err := FreePort()
		if err != nil {
			t.Fatal(err)
		}
		if given[port] || port < firstPort || port >= lastPort {
			t.Errorf("port %d", port)
		}
		given[port] = true
	}
}
