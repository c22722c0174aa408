package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/pamline/pamline/tools/internal/cluster"
)

// answer is what a command of a person said.
type answer struct {
	code        int // exit code; -1: it was killed
	out, errors string
}

// longest is how long a command may take before somebody loses patience and kills it.
const longest = 20 * time.Second

// pamline runs the command line with the settings of a worker, and by the same ways to NATS and S3.
// Whatever goes wrong with that worker's ways goes wrong here.
func (r *run) pamline(ctx context.Context, worker int, patience time.Duration, args ...string) (a answer, err error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	folder := filepath.Join(r.folder, "cluster")
	args = append(args, "--config", filepath.Join(folder, r.cluster.Workers[worker].Name+".yaml"), "--set", "log.level=error", "--format", "json")
	cmd := exec.CommandContext(limited, filepath.Join(r.options.programs, "pamline"), args...)
	cmd.Env = []string{"HOME=" + folder, "TMPDIR=" + r.folder, "PATH=" + os.Getenv("PATH"), "PAMLINE_STORE__S3__SECRET_ACCESS_KEY=" + cluster.SecretKey, "GOMAXPROCS=2"}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && limited.Err() == nil {
		return a, fmt.Errorf("run pamline %s: %w", args[0], err)
	}
	a = answer{code: cmd.ProcessState.ExitCode(), out: out.String(), errors: errs.String()} // -1 without a state, too
	for _, word := range bad {
		if bytes.Contains(errs.Bytes(), []byte(word)) {
			return a, fmt.Errorf("run pamline %s: %s", args[0], errs.String())
		}
	}
	return a, ctx.Err()
}
