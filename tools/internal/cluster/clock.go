package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// ClockVariable is the environment variable by which programs of [BuildSkewed] are told how many
// seconds their clock is wrong.
const ClockVariable = "CHAOS_CLOCK"

// BuildSkewed builds the workers with a clock that can be set wrong, into folder. The product has
// no such switch: the time package of the standard library is overlaid, so that everything in the
// process, signatures of requests among it, believes the wrong time. The first time on a machine it
// takes minutes, for everything depends on that package.
func BuildSkewed(root, folder string) error {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("ask for GOROOT: %w", err)
	}
	source := filepath.Join(strings.TrimSpace(string(goroot)), "src", "time", "time.go")
	text, err := os.ReadFile(source)
	if err != nil {
		return fmt.Errorf("read the time package: %w", err)
	}
	const before = "	sec, nsec, mono := runtimeNow()\n	if mono == 0 {"
	const after = "	sec, nsec, mono := runtimeNow()\n	sec += chaosSkew\n	if mono == 0 {"
	if bytes.Count(text, []byte(before)) != 1 {
		return fmt.Errorf("change the time package: %s of %s is not what it was: adapt the overlay", source, runtime.Version())
	}
	text = bytes.Replace(text, []byte(before), []byte(after), 1)
	reader := `package time

import "syscall"

var chaosSkew = func() (n int64) {
	v, _ := syscall.Getenv("` + ClockVariable + `")
	sign := int64(1)
	for _, c := range v {
		if c == '-' {
			sign = -1
			continue
		}
		n = n*10 + int64(c-'0')
	}
	return sign * n
}()
`
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make folder of programs: %w", err)
	}
	files := map[string][]byte{"time.go": text, "skew.go": []byte(reader)}
	replace := map[string]string{}
	for name, body := range files {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, body, 0o600); err != nil {
			return fmt.Errorf("write overlay: %w", err)
		}
		replace[filepath.Join(filepath.Dir(source), name)] = path
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return fmt.Errorf("write overlay: %w", err)
	}
	list := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return fmt.Errorf("write overlay: %w", err)
	}
	for _, stage := range stages {
		cmd := exec.Command("go", "build", "-C", root, "-overlay", list, "-o", filepath.Join(folder, stage), "./cmd/"+stage)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s with a wrong clock: %w\n%s", stage, err, out)
		}
	}
	return nil
}
