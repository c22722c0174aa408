package main

import (
	"context"

	"github.com/pamline/pamline/cmd/internal/logging"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/telemetry"
)

type upCommand struct {
	Data   string `placeholder:"DIR" type:"path" help:"Folder for state and store. Default: the user data folder."`
	Owner  string `placeholder:"ID" type:"owner" help:"Owner of files put into the drop folder itself. Default: the only owner of the data folder, else a generated id."`
	Folder string `placeholder:"DIR" type:"path" help:"The drop folder, which must exist. Default: inbox in the data folder."`
	settings
}

func (upCommand) Help() string {
	return "Runs as a service. Archives put into the drop folder, or into a subfolder named after an owner, are imported as soon as they\n" +
		"are complete. pamline status shows the imports, and pamline open the web page. Ctrl-C stops the service after the\n" +
		"current task. With nats.url, the workers of that cluster do the work; they must use the same store.\n\n" +
		"Example:\n  pamline up --folder ~/pamline-drops"
}

func (c *upCommand) Run(a *app) error {
	loaded, err := c.load(a, map[string]string{"data": c.Data, "owner": c.Owner, "drop.folder": c.Folder})
	if err != nil {
		return err
	}
	if requireStore(loaded) != nil { // no data folder is made for a mistyped drop folder
		if err := dropFolderExists(loaded.Drop.Folder); err != nil {
			return err
		}
	}
	if loaded.Log.Level == logging.Auto {
		loaded.Log.Level = "info" // nobody waits for the report of a service
	}
	return runService(a, loaded, servicePlan{name: "pamline-up", watch: true})
}

// startService starts the pipeline in this process or, with nats.url, connects to the workers
// there.
func (l *local) startService(ctx context.Context, o pipeline.Options) (*running, error) {
	if l.config.NATS.URL == "" {
		return startPipeline(ctx, o, telemetry.StageInbox, telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble, telemetry.StageTend)
	}
	cluster := wiring.NATS(l.config.NATS, "pamline-up")
	cluster.Log, cluster.Wait = l.log, true
	p, err := pipeline.Join(ctx, o, cluster)
	if err != nil {
		return nil, err
	}
	done := make(chan error, 1)
	done <- nil
	return &running{Pipeline: p, ctx: ctx, cancel: func() {}, done: done}, nil
}

// resume continues the imports that an earlier process has not finished, and says how many there
// are. The workers of a cluster find theirs by themselves.
func (l *local) resume(ctx context.Context, p *pipeline.Pipeline) (text string, err error) {
	if l.config.NATS.URL != "" {
		return "the workers of nats.url do the work", nil
	}
	open, err := p.Resume(ctx)
	if open == 0 {
		return "no unfinished imports", err
	}
	return "resuming " + pluralNoun(int64(open), "unfinished import"), err
}

func (l *local) watched() string {
	if l.config.Drop.Folder != "" {
		return l.config.Drop.Folder
	}
	return l.data.Join("inbox")
}
