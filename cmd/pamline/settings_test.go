package main

import (
	"bytes"
	"testing"

	"github.com/pamline/pamline/config"
)

// TestACommandLogsOnlyIfItsUserChoseALevel: the lines of a log beside the sentences of a report
// tell a person twice, and differently, what to do.
func TestACommandLogsOnlyIfItsUserChoseALevel(t *testing.T) {
	for level, want := range map[string]bool{"auto": false, "debug": true, "info": true, "warn": true, "error": false} {
		var out bytes.Buffer
		a := &app{stderr: &out}
		c := config.Default()
		if c.Log.Level != "auto" {
			t.Fatalf("the default is %s", c.Log.Level)
		}
		c.Log.Level = level
		log, err := a.logger(c)
		if err != nil {
			t.Fatal(err)
		}
		log.Warn("store failed; trying again")
		if got := out.Len() > 0; got != want {
			t.Errorf("%s: logged %q", level, out.String())
		}
	}
}
