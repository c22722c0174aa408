package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/probe"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline/dispatch"
)

type configCheck struct {
	Timeout time.Duration `default:"30s" help:"Time limit for each check. All checks run at the same time."`
	settings
	format
}

func (configCheck) Help() string {
	return "Tries the store, message server, models, folders and addresses of the settings, and removes everything it wrote. In the store, it\n" +
		"writes, reads, lists and removes small test objects and one of 5 MiB, and checks that conditional writes work: without them, memories\n" +
		"would be lost when two workers finish at the same time. On the message server, it creates and removes a test stream and bucket. Each\n" +
		"model gets one question about nothing, with the prompt of all questions (about 2,000 tokens). All checks run even if one fails, and every failure says what to do.\n\n" +
		"Example:\n  pamline config check --config pamline.yaml"
}

// checks are the lines of the live check.
type checks []probe.Line

var marks = map[probe.State]string{probe.OK: "ok  ", probe.Note: "note", probe.Warn: "WARN", probe.Fail: "FAIL"}

func (c checks) WriteText(w io.Writer) error {
	for _, l := range c {
		text := marks[l.State] + "  " + l.Part + ": " + l.What
		if l.Why != "" {
			text += ": " + l.Why
		}
		if l.Do != "" {
			text += "\n      " + l.Do
		}
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}

func (c *configCheck) Run(a *app) error {
	loaded, err := c.load(a, nil)
	if err != nil {
		return err
	}
	parts, err := c.parts(loaded)
	if err != nil {
		return err
	}
	result := checks(lintSettings(loaded))
	result = append(result, probe.All(a.ctx, c.Timeout, parts)...)
	if a.ctx.Err() != nil {
		return a.ctx.Err()
	}
	if err := c.print(a, result); err != nil {
		return err
	}
	for _, l := range result {
		if l.State == probe.Fail {
			return exit.With(exit.Failed, nil)
		}
	}
	return nil
}

// lintSettings are the warnings of the settings; errors have kept them from being loaded.
func lintSettings(c *config.Config) []probe.Line {
	lines := []probe.Line{{Part: "settings", What: "read", State: probe.OK}}
	for _, p := range c.Lint() {
		lines = append(lines, probe.Line{Part: "settings", What: p.Key, State: probe.Warn, Why: p.Message})
	}
	return lines
}

func (c *configCheck) parts(loaded *config.Config) ([]probe.Part, error) {
	data, err := datadir.Find(loaded.Data)
	if err != nil {
		return nil, err
	}
	drops := loaded.Drop.Folder
	if drops == "" {
		drops = filepath.Join(data, "inbox")
	}
	id := uuid.NewString()
	return []probe.Part{
		probe.Store(loaded.Store, filepath.Join(data, datadir.StoreFolder), id),
		probe.Broker(wiring.NATS(loaded.NATS, "pamline config check"), dispatch.Topology(wiring.TopologyOptions(loaded)), id, time.Now),
		probe.LLM(loaded.LLM),
		probe.Embeddings(loaded.Embeddings),
		probe.Folder("data folder", data),
		probe.Folder("scratch folder of workers", os.TempDir()),
		probe.DropFolder(drops),
		probe.HTTP(loaded.HTTP.Addr),
		probe.Trace(loaded.Trace),
	}, nil
}
