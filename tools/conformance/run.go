package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

const (
	passed = "passed"
	absent = "did not run"
)

// runTests runs tests and gives the status of each.
func runTests(ctx context.Context, tests []string, progress io.Writer) (map[string]string, error) {
	status := map[string]string{}
	runs := map[[2]string][]string{} // names by folder and pattern
	for _, t := range tests {
		folder, top, sub := splitTest(t)
		status[t] = absent
		key := [2]string{folder, ""}
		if top == scriptsTest { // they take long, so that only those which are named are run
			key[1] = "^" + top + "$/^" + regexp.QuoteMeta(sub) + "$"
		}
		runs[key] = append(runs[key], strings.TrimSuffix(top+"/"+sub, "/"))
	}
	byKey := func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) }
	for _, key := range slices.SortedFunc(maps.Keys(runs), byKey) {
		folder, pattern := key[0], key[1]
		if pattern == "" {
			pattern = patternOf(runs[key])
		}
		_, _ = fmt.Fprintf(progress, "%s %s\n", folder, pattern)
		events, err := runPackage(ctx, folder, pattern)
		if err != nil {
			return nil, fmt.Errorf("run tests of %s: %w", folder, err)
		}
		for _, name := range runs[key] {
			status[folder+":"+name] = statusOf(events, name)
		}
	}
	return status, nil
}

// scriptsTest runs the scripts of the command line.
const scriptsTest = "TestScripts"

// patternOf matches the functions of tests.
func patternOf(names []string) string {
	var tops []string
	for _, n := range names {
		top, _, _ := strings.Cut(n, "/")
		tops = append(tops, top)
	}
	slices.Sort(tops)
	return "^(" + strings.Join(slices.Compact(tops), "|") + ")$"
}

// runPackage runs tests of a package and gives what became of each.
func runPackage(ctx context.Context, folder, pattern string) (map[string]string, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-json", "-run", pattern, "./"+folder) //nolint:gosec // the arguments stand in the tables
	out, err := cmd.Output()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return nil, err
	}
	events, said := map[string]string{}, ""
	for line := range strings.Lines(string(out)) {
		var e struct{ Action, Test, Output string }
		if json.Unmarshal([]byte(line), &e) != nil {
			continue
		}
		said += e.Output
		if e.Test != "" && slices.Contains([]string{"pass", "fail", "skip"}, e.Action) {
			events[e.Test] = e.Action
		}
	}
	if failed != nil && len(events) == 0 {
		return nil, fmt.Errorf("%w: %s%s", err, said, failed.Stderr)
	}
	return events, nil
}

// statusOf judges a test by itself and all of its subtests.
func statusOf(events map[string]string, name string) string {
	result := absent
	for test, action := range events {
		if test != name && !strings.HasPrefix(test, name+"/") {
			continue
		}
		switch action {
		case "fail":
			return "failed"
		case "skip":
			return "skipped"
		}
		result = passed
	}
	return result
}
