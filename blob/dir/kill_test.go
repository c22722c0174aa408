//go:build unix

package dir_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/dir"
)

// childArg makes the test binary the process that is to be killed.
const childArg = "write-until-killed"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == childArg {
		if err := writeUntilKilled(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func killBody(n int) []byte { return bytes.Repeat([]byte(fmt.Sprintf("%07d\n", n)), 20_000) }

// writeUntilKilled says the number of each object once it is written.
func writeUntilKilled(root string) error {
	s, err := dir.Open(root)
	if err != nil {
		return err
	}
	ctx := context.Background()
	for n := 0; ; n++ {
		if _, err := s.Put(ctx, fmt.Sprintf("o/%d/x", n%50), bytes.NewReader(killBody(n)), blob.PutOptions{}); err != nil {
			return err
		}
		if _, err := s.PutAbsent(ctx, []blob.Item{{Key: fmt.Sprintf("b/%d", n), Body: killBody(n)}}); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

func TestKilledWriterLeavesWholeObjectsAndNoScratchFiles(t *testing.T) {
	root := t.TempDir()
	for round := range 3 {
		acknowledged := killAfter(t, root, 10+7*round)
		s, err := dir.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		for n := range acknowledged + 1 {
			data, _, err := blob.ReadAll(t.Context(), s, fmt.Sprintf("b/%d", n), 1<<20)
			if err != nil || !bytes.Equal(data, killBody(n)) {
				t.Errorf("object %d of %d acknowledged: %d bytes, %v", n, acknowledged, len(data), err)
			}
		}
		for obj, err := range s.List(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			data, _, err := blob.ReadAll(t.Context(), s, obj.Key, 1<<20)
			if err != nil || len(data) != len(killBody(0)) || !bytes.Equal(data, bytes.Repeat(data[:8], len(data)/8)) {
				t.Errorf("%s is not whole: %d bytes, %v", obj.Key, len(data), err)
			}
		}
		left, err := filepath.Glob(filepath.Join(root, blob.Reserved, "tmp", "*", "*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %q, %v", left, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// killAfter kills a writer once it has acknowledged n objects and gives the last number it said.
func killAfter(t *testing.T, root string, n int) int {
	t.Helper()
	cmd := exec.Command(os.Args[0], childArg, root)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines, last := bufio.NewScanner(out), -1
	for lines.Scan() {
		if _, err := fmt.Sscan(lines.Text(), &last); err != nil {
			t.Fatal(err)
		}
		if last >= n {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	// What it said before it died counts too.
	rest, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(rest)) {
		if strings.HasSuffix(line, "\n") {
			if _, err := fmt.Sscan(line, &last); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // it was killed, which is an error
	if last < n {
		t.Fatalf("the writer stopped after %d objects: %s", last, stderr.String())
	}
	return last
}
