package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/storage"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
)

type configCheck struct {
	Timeout time.Duration `default:"30s" help:"How long storage and server have to answer."`
	settings
	format
}

func (configCheck) Help() string {
	return "Writes, reads and removes one small object, tries conditional writes, and asks the message server for JetStream. A store that\n" +
		"passes over conditional writes would lose memories when two workers finish at the same time.\n\n" +
		"Example:\n  pamline config check --config pamline.yaml"
}

// checked is one line of the live check.
type checked struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	Why  string `json:"why,omitempty"`
}

type checks []checked

func (c checks) WriteText(w io.Writer) error {
	for _, one := range c {
		mark := "ok  "
		if !one.OK {
			mark = "FAIL"
		}
		line := mark + "  " + one.What
		if one.Why != "" {
			line += ": " + one.Why
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
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
	ctx, cancel := context.WithTimeout(a.ctx, c.Timeout)
	defer cancel()
	result := checks{{What: "settings", OK: true}}
	result = append(result, checkStore(ctx, loaded)...)
	result = append(result, checkBroker(ctx, loaded))
	if err := c.print(a, result); err != nil {
		return err
	}
	for _, one := range result {
		if !one.OK {
			return exit.With(exit.Failed, nil)
		}
	}
	return nil
}

func checkStore(ctx context.Context, c *config.Config) checks {
	what := "storage in a folder"
	if c.Store.Kind == "s3" {
		what = "storage in bucket " + c.Store.S3.Bucket
	}
	failed := func(err error) checks { return checks{{What: what, Why: err.Error()}} }
	folder, err := datadir.Find(c.Data)
	if err != nil {
		return failed(err)
	}
	store, closeStore, err := storage.Open(ctx, c.Store, filepath.Join(folder, datadir.StoreFolder))
	if err != nil {
		return failed(err)
	}
	var out checks
	for _, step := range storage.Check(ctx, store, uuid.NewString()) {
		one := checked{What: what + ": " + step.Name, OK: step.Err == nil}
		if step.Err != nil {
			one.Why = step.Err.Error()
		}
		out = append(out, one)
	}
	if err := closeStore(); err != nil {
		out = append(out, checked{What: what + ": close", Why: err.Error()})
	}
	return out
}

func checkBroker(ctx context.Context, c *config.Config) checked {
	if c.NATS.URL == "" {
		return checked{What: "message server: inside the process, nothing to reach", OK: true}
	}
	one := checked{What: "message server with JetStream"}
	if err := askBroker(ctx, c.NATS); err != nil {
		one.Why = err.Error()
	}
	one.OK = one.Why == ""
	return one
}

func askBroker(ctx context.Context, c config.NATS) error {
	nc, err := pipeline.ConnectNATS(pipeline.NATSOptions{
		URL: c.URL, CredsFile: c.CredsFile, NKeyFile: c.NKeyFile, CAFile: c.CAFile, CertFile: c.CertFile, KeyFile: c.KeyFile, Name: "pamline config check",
	})
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return fmt.Errorf("open JetStream: %w", err)
	}
	if _, err := js.AccountInfo(ctx); err != nil {
		return fmt.Errorf("ask JetStream: %w (is it switched on for this account?)", err)
	}
	return nil
}
