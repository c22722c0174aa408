package main

import (
	"fmt"
	"io"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/status"
)

// rejects lists what the gates held back in one import.
func (c *statusCommand) rejects(a *app, loaded *config.Config, found status.Row) error {
	return withStore(a, loaded, func(s blob.Store) error {
		for r, err := range publish.Rejects(a.ctx, s, found.Owner, found.Import) {
			if err != nil {
				return err
			}
			if c.Format == "json" {
				_, err = a.stdout.Write(r.AppendLine(nil))
			} else {
				err = writeReject(a.stdout, &r)
			}
			if err != nil {
				return fmt.Errorf("write rejects: %w", err)
			}
		}
		return nil
	})
}

func writeReject(w io.Writer, r *extract.Reject) error {
	place := r.Member + " " + r.Pointer
	if r.Conversation != "" {
		place = fmt.Sprintf("conversation %s, message %s, characters %d to %d", r.Conversation, r.Message, r.Start, r.End)
	}
	_, err := fmt.Fprintln(w, visible(fmt.Sprintf("%-20s %-28s %s", r.Reason, r.Rule, place), ""))
	return err
}
