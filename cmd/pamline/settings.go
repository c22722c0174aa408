package main

import (
	"fmt"
	"maps"
	"os"

	"go.uber.org/zap"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/logging"
	"github.com/pamline/pamline/config"
)

// settings are the flags of commands that have settings.
type settings struct {
	Config string            `env:"PAMLINE_CONFIG" placeholder:"FILE" type:"path" help:"Configuration file (YAML)."`
	Set    map[string]string `mapsep:"none" placeholder:"KEY=VALUE" help:"Set one setting, for example limits.max_conversation=8MB. May be repeated."`
}

// load reads the settings; an error is one of use. flags are those of the command that stand for
// settings, by key; empty ones are not set.
func (s settings) load(a *app, flags map[string]string) (*config.Config, error) {
	set := maps.Clone(s.Set)
	if set == nil {
		set = make(map[string]string)
	}
	for key, value := range flags {
		if value == "" {
			continue
		}
		if twice, ok := set[key]; ok && twice != value {
			return nil, exit.With(exit.Usage, fmt.Errorf("read configuration: %s is given both by --set and by its own flag", key))
		}
		set[key] = value
	}
	c, err := config.Load(config.Sources{File: s.Config, Environ: a.environ, Set: set})
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	return c, nil
}

// logger writes to standard error if the user chose a level. Other users read sentences only: those
// of the report, and of the error that ends the command.
func (a *app) logger(c *config.Config) (*zap.Logger, error) {
	if c.Log.Level == logging.Auto {
		return zap.NewNop(), nil
	}
	return logging.New(a.stderr, c.Log.Level, c.Log.Format, a.terminal)
}

// scratch makes a folder for temporary files and gives the function that removes it.
func scratch(parent string) (folder string, remove func() error, err error) {
	folder, err = os.MkdirTemp(parent, "pamline-*")
	if err != nil {
		return "", nil, fmt.Errorf("make scratch folder: %w", err)
	}
	return folder, func() error { return os.RemoveAll(folder) }, nil
}
