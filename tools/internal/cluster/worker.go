package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pamline/pamline/blob/blobtest/toolbin"
	"github.com/pamline/pamline/tools/internal/fault"
)

// Worker is a worker process with a way of its own to each NATS node.
type Worker struct {
	*Process
	Stage string
	Links []*fault.Link
	// HTTP is the address of its health endpoint, host:port.
	HTTP string
	// full: its next life begins on a scratch disk without room.
	full bool
}

// startWorker starts worker n of a stage.
func (c *Cluster) startWorker(stage string, n int) (*Worker, error) {
	w := &Worker{Stage: stage}
	name := fmt.Sprintf("%s-%d", stage, n)
	program := filepath.Join(c.options.Programs, stage)
	skew := c.options.Skews[name]
	if skew != 0 {
		program = filepath.Join(c.options.Skewed, stage)
	}
	var urls []string
	for _, node := range c.Broker.Nodes {
		l, err := fault.NewLink(node.At)
		if err != nil {
			return nil, errors.Join(err, w.Close())
		}
		w.Links = append(w.Links, l)
		urls = append(urls, "nats://"+l.Addr())
	}
	var err error
	if w.HTTP, err = toolbin.FreeAddress(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	settings := map[string]any{
		"http.addr":  w.HTTP,
		"nats.url":   strings.Join(urls, ","),
		"store.kind": "s3", "store.s3.bucket": Bucket, "store.s3.endpoint": "http://" + c.Gateway.Proxy.Addr(),
		"store.s3.path_style": true, "store.s3.access_key_id": AccessKey, "log.format": "json",
	}
	for k, v := range c.options.Settings {
		settings[k] = v
	}
	file := filepath.Join(c.options.Folder, name+".yaml")
	if err := writeSettings(file, settings); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	scratch := filepath.Join(c.options.Folder, "scratch", name)
	if err := os.MkdirAll(scratch, 0o755); err != nil {
		return nil, errors.Join(fmt.Errorf("make scratch folder: %w", err), w.Close())
	}
	w.Process, err = newProcess(c.options.logs(), name, true, func() *exec.Cmd {
		cmd := exec.Command(program, "--config", file)
		if w.full {
			cmd = exec.Command("unshare", append(unshare(), "--", "/bin/sh", "-ec", `mount -t tmpfs -o size=16k scratch "$TMPDIR"; exec "$@"`, "sh", program, "--config", file)...)
		}
		cmd.Env = []string{
			"TMPDIR=" + scratch, "HOME=" + c.options.Folder, "PATH=" + os.Getenv("PATH"),
			"PAMLINE_STORE__S3__SECRET_ACCESS_KEY=" + SecretKey, "GOMAXPROCS=2",
			fmt.Sprintf("%s=%d", ClockVariable, skew),
		}
		return cmd
	})
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, w.Start()
}

// Ready waits until a worker says that it can work.
func (w *Worker) Ready(ctx context.Context) error {
	return until(ctx, 30*time.Second, w.Name+" is ready", func() error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+w.HTTP+"/readyz", http.NoBody)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		if resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("it says %s", resp.Status)
		}
		return errors.Join(err, resp.Body.Close())
	})
}

// unshare are the flags that let a process have a file system of its own: as root at once, else as
// root of a namespace.
func unshare() []string {
	if os.Geteuid() == 0 {
		return []string{"--mount"}
	}
	return []string{"--mount", "--map-root-user"}
}

// CanFill tells whether a worker can be given a full disk here: not every system allows mounts to
// everyone.
func CanFill() error {
	out, err := exec.Command("unshare", append(unshare(), "--", "/bin/sh", "-ec", `mount -t tmpfs -o size=16k scratch /tmp`)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("mount a small disk: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Fill says whether the next life of the worker begins on a scratch disk of 16 KiB.
func (w *Worker) Fill(full bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.full = full
}

// writeSettings writes settings by their dotted names as a settings file; JSON is YAML.
func writeSettings(file string, flat map[string]any) error {
	root := map[string]any{}
	for name, v := range flat {
		m, parts := root, strings.Split(name, ".")
		for _, p := range parts[:len(parts)-1] {
			next, ok := m[p].(map[string]any)
			if !ok {
				next = map[string]any{}
				m[p] = next
			}
			m = next
		}
		m[parts[len(parts)-1]] = v
	}
	data, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	return nil
}

// Close ends the worker and its links.
func (w *Worker) Close() error {
	var errs []error
	if w.Process != nil {
		errs = append(errs, w.Process.Close())
	}
	for _, l := range w.Links {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}
