// Command benchimport measures an import against the least that could be done with the same
// archive, in the same run: inflating and hashing it (unzip -p ARCHIVE | sha256sum), and a bare
// program that hashes the archive, inflates it and writes hashed files of 45 KB with one sync. Then
// it imports the same archive again, which should find nothing to do, and at last the made-up
// export of a later day: 1 % of the conversations are new, and as many have one more message.
//
//	go run ./tools/benchimport                       600 and 6000 made-up conversations
//	go run ./tools/benchimport export.zip …          archives of your own
//	go run ./tools/benchimport -others claude=6000,grok=20000,gemini=700000,copilot=430000
//	                                                 other providers, so many conversations or rows
//	go run ./tools/benchimport -big 50,120           single conversations of so many MB, and the memory that they take
//	go run ./tools/benchimport -encryption           imports into encrypted data folders beside plain ones
//	go run ./tools/benchimport -startup examples/sample-export -rounds 20
//	                                                 a small import, which is all start-up
package main

import (
	"archive/zip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pamline/pamline/tools/internal/made"
	"github.com/pamline/pamline/tools/internal/peak"
)

func main() {
	bin := flag.String("bin", "bin/pamline", "the program to measure")
	sizes := flag.String("conversations", "600,6000", "sizes of the made-up exports, when no archive is named")
	others := flag.String("others", "", "measure made-up exports of these providers instead ("+strings.Join(made.Providers(), ", ")+"), for example claude=6000,gemini=700000")
	rounds := flag.Int("rounds", 3, "measure each archive so often; the fastest round counts")
	big := flag.String("big", "", "measure the memory of single conversations of these sizes in MB instead, for example 50,120")
	shapes := flag.String("shapes", "", "with -big: which forms of them ("+strings.Join(made.Shapes(), ", ")+"); all if empty")
	startup := flag.String("startup", "", "measure the start-up with this small export instead")
	encryption := flag.Bool("encryption", false, "measure what encryption costs instead: imports with and without it, in turn")
	set := flag.String("set", "", "a setting of the import, for example workers=1")
	bareTo := flag.String("bare", "", "be the bare program: write the pieces of one archive into this folder")
	flag.Parse()
	if *bareTo != "" {
		if err := bare(flag.Arg(0), *bareTo); err != nil {
			fmt.Fprintln(os.Stderr, "benchimport:", err)
			os.Exit(1)
		}
		return
	}
	o := options{bin: *bin, conversations: *sizes, others: *others, rounds: *rounds, big: *big, shapes: *shapes, startup: *startup, encryption: *encryption}
	if *set != "" {
		o.extra = []string{"--set", *set}
	}
	if err := run(o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "benchimport:", err)
		os.Exit(1)
	}
}

// options are what is to be measured; extra are flags of pamline import.
type options struct {
	bin, conversations, others, big, shapes, startup string
	rounds                                           int
	encryption                                       bool
	extra                                            []string
}

func run(o options, archives []string) error {
	if o.rounds < 1 {
		return fmt.Errorf("read -rounds: nothing is measured in %d rounds", o.rounds)
	}
	if _, err := os.Stat(o.bin); err != nil {
		return fmt.Errorf("find the program to measure: %w: make build makes it, and -bin names another", err)
	}
	sizes, err := counts("conversations", o.conversations)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "benchimport-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }() // a temporary folder
	// The master key of encrypted data folders is not that of the person.
	if err := os.Setenv("PAMLINE_ENCRYPTION__KEY_FILE", filepath.Join(scratch, "master.key")); err != nil {
		return err
	}
	if o.big != "" {
		return measureBig(o, scratch)
	}
	if o.startup != "" {
		return measureStartup(o, scratch, o.startup)
	}
	if o.others != "" {
		if archives, err = writeOthers(scratch, o.others); err != nil {
			return err
		}
	}
	if len(archives) == 0 {
		for _, n := range sizes {
			name := filepath.Join(scratch, strconv.Itoa(n)+".zip")
			if err := errors.Join(writeExport(name, n, 0), writeExport(grownOf(name), n, max(n/100, 1))); err != nil {
				return err
			}
			archives = append(archives, name)
		}
	}
	measure, header := measure, header
	if o.encryption {
		measure, header = measureEncryption, encryptionHeader
	}
	fmt.Print(header)
	for _, a := range archives {
		if err := measure(o, scratch, a); err != nil {
			return fmt.Errorf("measure %s: %w", a, err)
		}
	}
	return nil
}

// counts reads the numbers that a flag has, separated by commas.
func counts(name, list string) (all []int, err error) {
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("read -%s: %q is not a number above 0: write one, or several with commas between them", name, s)
		}
		all = append(all, n)
	}
	return all, nil
}

// grownOf is the name of the export of a later day.
func grownOf(archive string) string { return strings.TrimSuffix(archive, ".zip") + ".grown.zip" }

func writeExport(name string, n, grown int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(made.Export{Seed: 7, Conversations: n, Grown: grown}.Write(f), f.Close())
}

type cost struct {
	wall, cpu time.Duration
	rss       float64 // MB
	losses    bool    // something was quarantined
}

func costOf(p *os.ProcessState, wall time.Duration) cost {
	return cost{wall: wall, cpu: p.UserTime() + p.SystemTime(), rss: peak.MB(p)}
}

// faster keeps the less of each: other work on the machine makes everything slower, and nothing
// faster. Of memory it keeps the peak.
func (c *cost) faster(other cost) {
	if c.wall == 0 || other.wall < c.wall {
		c.wall = other.wall
	}
	if c.cpu == 0 || other.cpu < c.cpu {
		c.cpu = other.cpu
	}
	c.rss = max(c.rss, other.rss)
}

// figures are the best rounds of what is done with one archive.
type figures struct{ unzip, bare, first, again, grown cost }

// measure takes the fastest of several rounds of all, taken in turn.
func measure(o options, scratch, archive string) error {
	size, err := inflated(archive)
	if err != nil {
		return err
	}
	var f figures
	for i := range o.rounds {
		// Folders for each round, removed at the very end: ext4 is slow to make files while it
		// avoids just freed inodes.
		folder := filepath.Join(scratch, filepath.Base(archive)+"-"+strconv.Itoa(i))
		for _, step := range []struct {
			into *cost
			run  func() (cost, error)
		}{
			{&f.unzip, func() (cost, error) { return baseline(archive) }},
			{&f.bare, func() (cost, error) { return bareOnce(archive, folder+"-bare") }},
			{&f.first, func() (cost, error) { return importOnce(o.bin, folder, archive, o.extra...) }},
			{&f.again, func() (cost, error) { return importOnce(o.bin, folder, archive, o.extra...) }},
			{&f.grown, func() (cost, error) { return grownOnce(o, folder, archive) }},
		} {
			c, err := step.run()
			if err != nil {
				return err
			}
			step.into.faster(c)
		}
	}
	fmt.Print(row(filepath.Base(archive), size, f))
	return nil
}

const header = "                              wall time in s                         times   processor time in s         times   peak\n" +
	"archive         JSON MB  unzip   bare import  again  grown  unzip   bare   bare import  again  grown   bare     MB\n"

// row is a line below the header: size is that of the JSON in bytes. What was not measured is 0.
func row(name string, size int64, f figures) string {
	s := time.Duration.Seconds
	return fmt.Sprintf("%-14s %8.1f %6.2f %6.2f %6.2f %6.2f %6.2f %5.2fx %5.2fx %6.2f %6.2f %6.2f %6.2f %5.2fx %6.0f\n", name, float64(size)/1e6,
		s(f.unzip.wall), s(f.bare.wall), s(f.first.wall), s(f.again.wall), s(f.grown.wall), s(f.first.wall)/s(f.unzip.wall), s(f.first.wall)/s(f.bare.wall),
		s(f.bare.cpu), s(f.first.cpu), s(f.again.cpu), s(f.grown.cpu), s(f.first.cpu)/s(f.bare.cpu), f.first.rss)
}

func inflated(archive string) (int64, error) {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return 0, err
	}
	defer func() { _ = z.Close() }() // only read
	var n int64
	for _, f := range z.File {
		n += int64(f.UncompressedSize64)
	}
	return n, nil
}

// baseline is unzip -p ARCHIVE | sha256sum, or the same in this process where there is no unzip.
func baseline(archive string) (cost, error) {
	start := time.Now()
	unzip := exec.Command("unzip", "-p", archive)
	sum := exec.Command("sha256sum")
	out, err := unzip.StdoutPipe()
	if err != nil {
		return cost{}, err
	}
	sum.Stdin = out
	if sum.Start() == nil {
		if err := unzip.Run(); err == nil {
			return cost{wall: time.Since(start)}, sum.Wait()
		}
		out.Close()
		_ = sum.Wait() // it has hashed nothing; the other way is taken
	}
	start = time.Now()
	z, err := zip.OpenReader(archive)
	if err != nil {
		return cost{}, err
	}
	defer func() { _ = z.Close() }() // only read
	h := sha256.New()
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return cost{}, err
		}
		if _, err := io.Copy(h, r); err != nil {
			return cost{}, err
		}
		r.Close()
	}
	return cost{wall: time.Since(start)}, nil
}

// grownOnce imports the export of a later day, if there is one.
func grownOnce(o options, folder, archive string) (cost, error) {
	if _, err := os.Stat(grownOf(archive)); errors.Is(err, os.ErrNotExist) {
		return cost{}, nil
	}
	return importOnce(o.bin, folder, grownOf(archive), o.extra...)
}

func importOnce(bin, folder, archive string, extra ...string) (cost, error) {
	args := append([]string{"import", "--data", filepath.Join(folder, "data"), "--owner", "bench", "--out", filepath.Join(folder, "out")}, extra...)
	cmd := exec.Command(bin, append(args, archive)...)
	var report strings.Builder
	cmd.Stdout, cmd.Stderr = &report, &report
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil && cmd.ProcessState.ExitCode() != 3 {
		return cost{wall: wall}, fmt.Errorf("%w\n%s", err, report.String())
	}
	c := costOf(cmd.ProcessState, wall)
	c.losses = err != nil
	return c, nil
}
