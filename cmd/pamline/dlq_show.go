package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/replay"
)

type dlqShowCommand struct {
	Letter string `arg:"" name:"LETTER" help:"Id of a dead letter, or at least its first four characters."`
	dlqFlags
}

func (dlqShowCommand) Help() string {
	return "Shows what failed, how often, why, what to do, and which import, receipt and object it belongs to.\n\n" +
		"Example:\n  pamline dlq show 3fa9c2"
}

func (c *dlqShowCommand) Run(a *app) error {
	loaded, err := c.open(a)
	if err != nil {
		return err
	}
	folder, err := datadir.Find(loaded.Data)
	if err != nil {
		return err
	}
	place := func(key string) string {
		if key == "" {
			return ""
		}
		return wiring.Place(loaded.Store, filepath.Join(folder, datadir.StoreFolder), key)
	}
	return withViewer(a, loaded, func(v pipeline.Viewer) error {
		one, err := c.find(a.ctx, v, c.Letter)
		if err != nil {
			return err
		}
		return c.print(a, shownLetter{one, place(one.Object), place(one.Receipt)})
	})
}

// shownLetter is a dead letter with the places of its objects.
type shownLetter struct {
	replay.DeadLetter
	ObjectPlace  string `json:"object_place"`
	ReceiptPlace string `json:"receipt_place,omitempty"`
}

// WriteText writes what is known, a line each.
func (s shownLetter) WriteText(w io.Writer) error {
	p := printTo(w)
	for _, f := range []struct{ name, value string }{
		{"id", s.ID}, {"stage", s.Stage}, {"owner", s.Owner}, {"file", strings.Join(s.Files, ", ")}, {"provider", strings.Join(s.Providers, ", ")},
		{"drop", s.Drop}, {"import", s.Import}, {"generation", fmt.Sprint(s.Gen)}, {"shard", s.Shard},
		{"failed", s.FailedAt.Local().Format(time.DateTime)}, {"class", string(s.Class)}, {"attempts", fmt.Sprint(s.Attempts)},
		{"reason", s.Reason}, {"damaged", s.Unusable}, {"next", s.Hint}, {"redrive", s.Advice},
		{"receipt", s.ReceiptPlace}, {"object", s.ObjectPlace},
	} {
		if f.value != "" {
			p.field(f.name, "%s", f.value)
		}
	}
	return p.err
}
