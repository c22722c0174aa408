package main

import (
	"errors"
	"os"
	"regexp"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience only keeps a script that hangs from hanging for ever. A busy machine needs minutes.
const patience = 10 * time.Minute

// until is the script command `until PATTERN COMMAND…`: it runs the command again and again until
// its standard output matches.
func until(ts *testscript.TestScript, _ bool, args []string) {
	pattern, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := ts.Exec(args[1], args[2:]...)
		out := ts.ReadFile("stdout")
		if err == nil && pattern.MatchString(out) {
			return
		}
		if time.Now().After(deadline) {
			ts.Check(errors.Join(errors.New("until "+args[0]+": it does not come; the last output was:\n"+out), err))
		}
	}
}

// awaitFile is the script command `await-file FILE`: it waits until the file is there, as long as
// until does.
func awaitFile(ts *testscript.TestScript, _ bool, args []string) {
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		_, err := os.Stat(ts.MkAbs(args[0]))
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			ts.Check(err)
		}
	}
}
