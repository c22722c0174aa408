//go:build linux

// Command benchdrops drops thirty exports of one owner, one after the other, into the folder of a
// running `pamline up`, and prints what the service and its data folder take. Each export has all
// conversations of the one before it, each of them a message longer.
//
//	go run ./tools/benchdrops -pamline bin/pamline -drops 30 -conversations 100
package main

import (
	"archive/zip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	b := bench{}
	flag.StringVar(&b.pamline, "pamline", "bin/pamline", "the program to measure")
	flag.IntVar(&b.drops, "drops", 30, "how many exports are dropped")
	flag.IntVar(&b.conversations, "conversations", 100, "conversations of each export")
	flag.Parse()
	if err := b.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "benchdrops:", err)
		os.Exit(1)
	}
}

type bench struct {
	pamline              string
	drops, conversations int
	folder               string
	service              *exec.Cmd
	zips                 int64 // bytes dropped so far
}

func (b *bench) run(ctx context.Context) (err error) {
	if b.folder, err = os.MkdirTemp("", "benchdrops-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.folder)) }()
	if err := os.Mkdir(b.path("drops"), 0o700); err != nil {
		return err
	}
	b.service = exec.CommandContext(ctx, b.pamline, "up", "--data", b.path("data"), "--owner", "me", "--folder", b.path("drops"), "--set", "drop.settle=100ms")
	b.service.Stderr = io.Discard
	if err := b.service.Start(); err != nil {
		return err
	}
	fmt.Println("drops  zips, MB  memory, MB  goroutines  open files  data folder, MB")
	for n := 1; n <= b.drops; n++ {
		if err := b.drop(ctx, n); err != nil {
			return errors.Join(err, b.service.Process.Kill())
		}
		if n == 1 || n%10 == 0 {
			if err := b.print(ctx, n); err != nil {
				return errors.Join(err, b.service.Process.Kill())
			}
		}
	}
	if err := errors.Join(b.service.Process.Signal(os.Interrupt), b.service.Wait()); err != nil {
		return fmt.Errorf("stop the service: %w", err)
	}
	if out, err := exec.CommandContext(ctx, b.pamline, "prune", "--data", b.path("data")).CombinedOutput(); err != nil {
		return fmt.Errorf("prune: %w: %s", err, out)
	}
	size, err := sizeOf(b.path("data"))
	fmt.Printf("after a prune by hand: %.1f MB\n", float64(size)/1e6)
	return err
}

func (b *bench) path(name string) string { return filepath.Join(b.folder, name) }

// drop writes the export number n and waits until it is imported.
func (b *bench) drop(ctx context.Context, n int) error {
	part := b.path("drops/export.zip.part")
	f, err := os.Create(part)
	if err != nil {
		return err
	}
	z := zip.NewWriter(f)
	w, err := z.Create("conversations.json")
	if err == nil {
		_, err = io.WriteString(w, b.export(n))
	}
	if err := errors.Join(err, z.Close(), f.Close()); err != nil {
		return err
	}
	info, err := os.Stat(part)
	if err != nil {
		return err
	}
	b.zips += info.Size()
	if err := os.Rename(part, b.path(fmt.Sprintf("drops/export-%02d.zip", n))); err != nil {
		return err
	}
	for ended := time.Now().Add(10 * time.Minute); time.Now().Before(ended); time.Sleep(200 * time.Millisecond) {
		// An error is that of a service that is still starting.
		if out, err := exec.CommandContext(ctx, b.pamline, "imports", "--data", b.path("data"), "--limit", "0").Output(); err == nil && strings.Count(string(out), " done") >= n {
			return nil
		}
	}
	return fmt.Errorf("drop %d was not imported within ten minutes", n)
}

// export is a list of conversations of n messages each.
func (b *bench) export(n int) string {
	var text strings.Builder
	for c := range b.conversations {
		fmt.Fprintf(&text, `%s{"conversation_id":"c-%d","title":"Talk %d","create_time":%d,"update_time":%d,"current_node":"n%d","mapping":{`, strings.Repeat(",", min(c, 1)), c, c, 1700000000+c, 1700000000+c+n, n-1)
		for i := range n {
			parent, child := fmt.Sprintf(`"n%d"`, i-1), fmt.Sprintf(`"n%d"`, i+1)
			if i == 0 {
				parent = "null"
			}
			if i == n-1 {
				child = ""
			}
			fmt.Fprintf(&text, `%s"n%d":{"id":"n%d","message":{"id":"n%d","author":{"role":"user"},"create_time":%d,"content":{"content_type":"text","parts":["I like tea number %d of talk %d. %s"]}},"parent":%s,"children":[%s]}`,
				strings.Repeat(",", min(i, 1)), i, i, i, 1700000000+c+i, i, c, strings.Repeat("More and more words. ", i+c%20), parent, child)
		}
		text.WriteString("}}")
	}
	return "[" + text.String() + "]"
}

var goroutines = regexp.MustCompile(`(?m)^go_goroutines (\d+)`)

// print prints what the service takes now.
func (b *bench) print(ctx context.Context, n int) error {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.service.Process.Pid))
	if err != nil {
		return err
	}
	var kib int64
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	if _, err := fmt.Sscan(after, &kib); err != nil {
		return fmt.Errorf("read the memory of the service: %w", err)
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", b.service.Process.Pid))
	if err != nil {
		return err
	}
	addr, err := os.ReadFile(b.path("data/http.addr"))
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+strings.TrimSpace(string(addr))+"/metrics", http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	metrics, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return err
	}
	count := "?"
	if g := goroutines.FindSubmatch(metrics); g != nil {
		count = string(g[1])
	}
	size, err := sizeOf(b.path("data"))
	fmt.Printf("%5d  %8.1f  %10d  %10s  %10d  %15.1f\n", n, float64(b.zips)/1e6, kib*1024/1e6, count, len(files), float64(size)/1e6)
	return err
}

// sizeOf adds up the files of a folder. A file that goes away meanwhile counts as nothing.
func sizeOf(folder string) (total int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}
