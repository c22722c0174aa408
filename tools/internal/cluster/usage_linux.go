package cluster

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// clockTicks is how many units of /proc times make a second, on every Linux that Go runs on.
const clockTicks = 100

// Usage tells the processor time that the running process has taken so far, and the most memory it
// has had, in bytes.
func (p *Process) Usage() (cpu time.Duration, peak int64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.alive() {
		return 0, 0, fmt.Errorf("measure %s: it does not run", p.Name)
	}
	folder := "/proc/" + strconv.Itoa(p.life.cmd.Process.Pid)
	stat, err := os.ReadFile(folder + "/stat")
	if err != nil {
		return 0, 0, fmt.Errorf("measure %s: %w", p.Name, err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // the name before may hold anything
	if len(fields) < 13 {
		return 0, 0, fmt.Errorf("measure %s: %d fields in its state", p.Name, len(fields))
	}
	for _, f := range fields[11:13] { // user and system time
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("measure %s: %w", p.Name, err)
		}
		cpu += time.Duration(n) * time.Second / clockTicks
	}
	status, err := os.ReadFile(folder + "/status")
	if err != nil {
		return 0, 0, fmt.Errorf("measure %s: %w", p.Name, err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return cpu, kb << 10, err
		}
	}
	return cpu, 0, fmt.Errorf("measure %s: its peak memory is not told", p.Name)
}

// Usage sums up that of the servers of both doors, of the objects.
func (g *Gateway) Usage() (cpu time.Duration, peak int64, err error) {
	for _, p := range []*Process{g.loud, g.quiet} {
		c, m, err := p.Usage()
		if err != nil {
			return 0, 0, err
		}
		cpu, peak = cpu+c, peak+m
	}
	return cpu, peak, nil
}
