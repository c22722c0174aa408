package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readmeCommand is a line of the README that a reader copies into a shell.
var readmeCommand = regexp.MustCompile(`(?m)^(?:\$ )?(pamline (?:[^\n#]*[^\n# ]))`)

// notRun are commands of the README that go on until they are stopped, or show where pamline stops.
var notRun = regexp.MustCompile(`^pamline (open|up|status)\b`)

// The commands of the README work one after the other, as somebody reads them with the sample
// export. Only restore, which names what it cannot give back, ends with another code than 0.
func TestReadmeCommandsWorkInTheirOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("the scripts run the same code")
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	ran := 0
	for _, line := range commandsOf(string(text)) {
		if notRun.MatchString(line) {
			continue
		}
		line = strings.NewReplacer("examples/sample-export", "$SAMPLE", `"`, "'").Replace(line)
		if strings.HasPrefix(line, "pamline erase ") {
			line += " --yes"
		}
		if strings.HasPrefix(line, "pamline restore ") {
			line = "exits 3 " + line
		}
		fmt.Fprintln(&script, line)
		ran++
	}
	if ran < 20 {
		t.Errorf("the README has only %d commands", ran)
	}
	file := filepath.Join(t.TempDir(), "readme.txtar")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	runScripts(t, []string{file}, *plain)
}

// commandsOf gives the commands of the code blocks of a page.
func commandsOf(page string) (lines []string) {
	for i, block := range strings.Split(page, "```") {
		if i%2 == 0 {
			continue // text between blocks
		}
		for _, found := range readmeCommand.FindAllStringSubmatch(block, -1) {
			lines = append(lines, found[1])
		}
	}
	return lines
}
