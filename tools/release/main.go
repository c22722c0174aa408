// Command release builds everything that a release of pamline consists of, reproducibly: the same
// commit and Go version give the same bytes.
//
//	archives (tar.gz, zip) for Linux, macOS and Windows on amd64 and arm64
//	packages (deb, rpm), a container image (OCI layout), a Homebrew formula
//	an SBOM (CycloneDX) of each system, and SHA256SUMS
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var r release
	flag.StringVar(&r.Source, "source", ".", "the `folder` of the repository")
	flag.StringVar(&r.Out, "out", "dist", "the `folder` to write to; it must be empty or new")
	flag.StringVar(&r.Version, "version", "", "the `version`, for example v1.2.0; default: git describe")
	targets := flag.String("targets", "", "systems to build, for example linux/amd64,darwin/arm64; default: all")
	flag.Parse()
	if *targets != "" {
		r.Targets = strings.Split(*targets, ",")
	}
	if err := r.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// allTargets are the systems of a release.
var allTargets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// programs are what a release has for each system.
var programs = []string{"pamline", "ingest", "extract", "assemble"}

// release is what is built, and from what.
type release struct {
	Source, Out, Version string
	Targets              []string
	// Time is that of the commit: the time of every file in what is built.
	Time time.Time
}

func (r *release) run(ctx context.Context) error {
	if len(r.Targets) == 0 {
		r.Targets = allTargets
	}
	if err := r.describe(ctx); err != nil {
		return err
	}
	if entries, err := os.ReadDir(r.Out); err == nil && len(entries) > 0 {
		return fmt.Errorf("write to %s: it is not empty: remove it first", r.Out)
	}
	work, err := os.MkdirTemp("", "pamline-release-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }() // a temporary folder of this process
	if err := os.MkdirAll(r.Out, 0o755); err != nil {
		return err
	}
	help, err := r.help(ctx, work)
	if err != nil {
		return err
	}
	var built []system
	for _, target := range r.Targets {
		s, err := r.build(ctx, target, work)
		if err != nil {
			return err
		}
		if s.OS != "windows" { // which has no place for them
			s.Files = append(s.Files, help...)
		}
		if err := r.pack(s); err != nil {
			return fmt.Errorf("pack %s: %w", target, err)
		}
		built = append(built, s)
	}
	if err := r.image(built); err != nil {
		return fmt.Errorf("write container image: %w", err)
	}
	if err := r.formula(); err != nil {
		return fmt.Errorf("write Homebrew formula: %w", err)
	}
	return writeSums(r.Out)
}

// describe finds out version and time.
func (r *release) describe(ctx context.Context) error {
	git := func(args ...string) (string, error) {
		c := exec.CommandContext(ctx, "git", args...)
		c.Dir = r.Source
		out, err := c.Output()
		if err != nil {
			return "", fmt.Errorf("ask git for the version: %w: name one with -version", err)
		}
		return strings.TrimSpace(string(out)), nil
	}
	if r.Version == "" {
		v, err := git("describe", "--tags", "--always", "--dirty")
		if err != nil {
			return err
		}
		r.Version = v
	}
	at, err := git("log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return fmt.Errorf("read time of the commit: %w", err)
	}
	r.Time = time.Unix(seconds, 0).UTC()
	return nil
}

// number is the version without v, always beginning with a digit. It names files and the image: a
// release page, a tag of an image and a formula take no "~".
func (r *release) number() string {
	v := strings.TrimPrefix(r.Version, "v")
	if v == "" || v[0] < '0' || v[0] > '9' || !strings.Contains(v, ".") {
		v = "0.0.0-" + v
	}
	return v
}

// packageVersion is the number as packages have it: they sort what follows "~" before the release.
func (r *release) packageVersion() string { return strings.ReplaceAll(r.number(), "-", "~") }

// system is what was built for one.
type system struct {
	OS, Arch string
	// Files are the contents of its archive.
	Files []file
}

// file is one file of an archive or package.
type file struct {
	Name string
	Mode int64
	Body []byte
}

// name of a thing of this release for a system.
func (r *release) name(s system, end string) string {
	return filepath.Join(r.Out, fmt.Sprintf("pamline_%s_%s_%s%s", r.number(), s.OS, s.Arch, end))
}

// help gives the completion scripts and the manual page, as the program of this machine prints
// them.
func (r *release) help(ctx context.Context, work string) (files []file, err error) {
	program := filepath.Join(work, "help")
	c := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-ldflags", "-X main.version="+r.Version, "-o", program, "./cmd/pamline")
	c.Dir, c.Stderr = r.Source, os.Stderr
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("build pamline for its help: %w", err)
	}
	for _, h := range helpFiles {
		body, err := exec.CommandContext(ctx, program, h.args...).Output()
		if err != nil {
			return nil, fmt.Errorf("ask pamline for %s: %w", h.name, err)
		}
		files = append(files, file{h.name, 0o644, body})
	}
	return files, nil
}

// build compiles the programs and gathers the documents.
func (r *release) build(ctx context.Context, target, work string) (s system, err error) {
	var ok bool
	if s.OS, s.Arch, ok = strings.Cut(target, "/"); !ok {
		return s, fmt.Errorf("build %s: name it as linux/amd64", target)
	}
	end := ""
	if s.OS == "windows" {
		end = ".exe"
	}
	// One command builds all programs: most of their packages are the same.
	folder := filepath.Join(work, s.OS+"-"+s.Arch) + string(filepath.Separator)
	args := []string{"build", "-tags", "frozen", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid= -X main.version=" + r.Version, "-o", folder}
	for _, p := range programs {
		args = append(args, "./cmd/"+p)
	}
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir, c.Stderr = r.Source, os.Stderr
	c.Env = append(os.Environ(), "GOOS="+s.OS, "GOARCH="+s.Arch, "CGO_ENABLED=0", "GOFLAGS=-mod=readonly")
	if err := c.Run(); err != nil {
		return s, fmt.Errorf("build the programs for %s: %w", target, err)
	}
	for _, p := range programs {
		path := folder + p + end
		body, err := os.ReadFile(path)
		if err != nil {
			return s, err
		}
		name := p
		if p != "pamline" {
			name = "pamline-" + p // these names alone are too common for a PATH
		}
		s.Files = append(s.Files, file{name + end, 0o755, body})
		if p == "pamline" {
			sbom, err := r.sbom(path, s)
			if err != nil {
				return s, err
			}
			if err := os.WriteFile(r.name(s, ".cdx.json"), sbom, 0o644); err != nil {
				return s, err
			}
		}
	}
	for _, name := range []string{"README.md", "LICENSE", "CHANGELOG.md"} {
		body, err := os.ReadFile(filepath.Join(r.Source, name))
		if err != nil {
			return s, err
		}
		s.Files = append(s.Files, file{name, 0o644, body})
	}
	return s, nil
}
