package mif

import (
	"errors"
	"strconv"
	"time"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// ErrRetention is returned when the consent of a document has ended.
var ErrRetention = errors.New("the consent in the document has ended: its retention_days are over")

// Consent is what the person who exported a document allowed.
type Consent struct {
	// Shared tells whether the memories may be given on; a document without consent does not forbid
	// it.
	Shared bool
	// Until is when the memories must be gone, zero if nothing says so.
	Until time.Time
}

// Consent reads the consent of a document: at its root, or in its export block or metadata.
func (d *Document) Consent() Consent {
	c := Consent{Shared: true}
	for _, n := range []jsonscan.Node{d.Root, d.Root.Get("export"), d.Root.Get("export_meta"), d.Root.Get("metadata")} {
		consent := n.Get("consent")
		if consent.Kind() != jsonscan.Object {
			continue
		}
		if shared := consent.Get("sharing_allowed"); shared.Kind() == jsonscan.Bool && !shared.True() {
			c.Shared = false
		}
		days, err := strconv.Atoi(string(consent.Get("retention_days").Raw()))
		if err != nil || days < 0 {
			continue
		}
		since, err := pamio.ParseTime(consent.Get("timestamp").Str())
		if err != nil {
			since, err = pamio.ParseTime(d.Root.Get("export").Get("created_at").Str())
		}
		if until := since.AddDate(0, 0, days); err == nil && (c.Until.IsZero() || until.Before(c.Until)) {
			c.Until = until
		}
	}
	return c
}
