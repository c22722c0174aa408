package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob/blobtest/gateway"
)

// export writes an archive of n conversations; every tenth tells something to remember.
func export(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	for i := range n {
		sep := ",\n"
		if i == 0 {
			sep = "["
		}
		recipient := "all"
		if i%10 == 0 {
			recipient = "bio"
		}
		fmt.Fprintf(&b, `%s{"conversation_id":"c-%d","title":"Talk %d","create_time":%d,"update_time":%d,"mapping":{"a":{"id":"a","message":{"id":"a",`+
			`"author":{"role":"assistant"},"recipient":%q,"create_time":%d,"content":{"content_type":"text","parts":["User counts to %d. %s"]},"metadata":{}},"parent":null,"children":[]}},"current_node":"a"}`,
			sep, i, i, 1700000000+i, 1700000100+i, recipient, 1700000001+i, i, strings.Repeat("More and more words. ", i%200))
	}
	b.WriteString("]")
	name := filepath.Join(t.TempDir(), "conversations.json")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

var publishing = regexp.MustCompile(`"export_(id|date)":"[^"]*"|[0-9a-f]{64}  memory-store\.json`)

// bundleFiles gives the files of a bundle by name; what belongs to the moment of publishing is left
// out.
func bundleFiles(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		out[name] = publishing.ReplaceAllString(string(text), "")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// importing runs `pamline import` with small shards, so that there are many steps to be killed
// between.
func importing(data, out, file string, more ...string) *exec.Cmd {
	args := append([]string{"import", "--data", data, "--owner", "me", "--out", out, "--set", "limits.shard_items=25"}, more...)
	cmd := exec.Command("pamline", append(args, file)...)
	cmd.Env = append(os.Environ(), "PAMLINE_LOG__LEVEL=error")
	return cmd
}

// killedImport kills imports of one drop at random moments of an undisturbed run's time until one
// comes through, and compares what it published.
func killedImport(t *testing.T, seed uint64, kills int, fresh func(t *testing.T) []string) {
	if testing.Short() {
		kills = 2
	}
	file := export(t, 400)
	data, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	begun := time.Now()
	if text, err := importing(data, out, file, fresh(t)...).CombinedOutput(); err != nil {
		t.Fatalf("undisturbed run: %v\n%s", err, text)
	}
	span := time.Since(begun)
	want := bundleFiles(t, out)
	if len(want) != 402 {
		t.Fatalf("the undisturbed bundle has %d files", len(want))
	}

	r := rand.New(rand.NewPCG(seed, 0))
	data, out = t.TempDir(), filepath.Join(t.TempDir(), "out")
	settings := fresh(t)
	for range kills {
		cmd := importing(data, out, file, settings...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(r.Int64N(int64(span))), func() { _ = cmd.Process.Kill() }) // it may have ended
		_ = cmd.Wait()                                                                                   // killed, or through: both are fine here
		timer.Stop()
	}
	if text, err := importing(data, out, file, settings...).CombinedOutput(); err != nil {
		t.Fatalf("run after %d kills: %v\n%s", kills, err, text)
	}
	got := bundleFiles(t, out)
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s differs from that of an undisturbed run", name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
}

func TestKilledImportsEndInTheSameBundle(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: the scripts import, too, and no detector looks back at what was killed")
	}
	t.Parallel()
	killedImport(t, 1, 8, func(*testing.T) []string { return nil })
}

func TestKilledImportsEndInTheSameBundleOnS3(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: the scripts import, too, and no detector looks back at what was killed")
	}
	t.Parallel()
	server := gateway.Start(t)
	n := 0
	killedImport(t, 2, 6, func(*testing.T) []string {
		n++
		return []string{
			"--set", "store.kind=s3", "--set", "store.s3.endpoint=" + server.Endpoint, "--set", "store.s3.region=" + server.Region,
			"--set", "store.s3.bucket=" + server.Bucket, "--set", "store.s3.path_style=true", "--set", fmt.Sprintf("store.s3.prefix=run%d", n),
			"--set", "store.s3.access_key_id=" + server.AccessKey, "--set", "store.s3.secret_access_key=" + server.SecretKey,
		}
	})
}
