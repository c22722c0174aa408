package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pamline/pamline/pipeline/publish"
)

// validate copies an owner's bundle and asks pamline whether it is one.
func (r *run) validate(ctx context.Context, s *State, owner string) error {
	folder := filepath.Join(r.folder, "bundles", owner)
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return fmt.Errorf("make folder for a bundle: %w", err)
	}
	if err := publish.CopyBundle(ctx, r.quiet, owner, folder, publish.CopyOptions{}); err != nil {
		s.wrong("bundle of %s: %v", owner, err)
		return nil
	}
	out, err := exec.CommandContext(ctx, filepath.Join(r.options.programs, "pamline"), "validate", "--strict", folder).CombinedOutput()
	if err != nil {
		s.wrong("bundle of %s: %v\n%s", owner, err, strings.TrimSpace(string(out)))
	}
	return os.RemoveAll(folder)
}
