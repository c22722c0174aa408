//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// hostileInput is an input that is small for what it could cost, or lies about itself.
type hostileInput struct {
	name  string
	full  int // its size for make hostile
	small int // and in each run of the tests
	write func(w io.Writer, n int) error
	exit  int    // the exit code
	says  string // what the command has to say
}

// What the command says about what is too much.
const (
	bySize   = "bytes, more than the limit of"
	byParts  = "consists of so many small parts"
	byRows   = "rows and"
	byRatio  = "more than 1000 times its compressed size"
	byDamage = "the database cannot be read"
	isKept   = "kept"
)

// hostileInputs have what docs/limits.md says about them.
var hostileInputs = []hostileInput{
	{"members.zip", 200_000, 1_500, writeMembers, 0, isKept},
	{"entries.zip", 999_999, 20_000, writeEntries, 0, isKept},
	{"namesakes.zip", 20_000, 1_000, writeNamesakes, 0, isKept},
	{"nested.zip", 16, 16, writeNested, 0, isKept},
	{"names.zip", 20_000, 300, writeBadNames, 3, "the name leads out of the archive"},
	{"overlapping.zip", 65_000, 2_000, writeOverlapping, 3, "its data is also that of another member"},
	{"huge-claims.zip", 65_000, 2_000, writeHugeClaims, 1, "its sizes make no sense"},
	{"bomb.zip", 2_000, 200, writeBomb, 3, byRatio},
	{"bomb.json.gz", 2_000, 200, writeGzipBomb, 1, byRatio},
	{"gzips.json.gz", 100_000, 2_000, writeGzips, 0, isKept},
	{"links.tar.gz", 200_000, 5_000, writeLinks, 3, "../../escape.json"},

	{"keys.json", 10_000_000, 1_000_000, writeExtra("{", `"k%d":1`, ",", "}"), 1, byParts},
	{"same-keys.json", 10_000_000, 1_000_000, writeExtra("{", `"k":1`, ",", "}"), 1, byParts},
	{"numbers.json", 40_000_000, 4_000_000, writeExtra("[", `1`, ",", "]"), 1, byParts},
	{"digits.json", 50_000_000, 5_000_000, writeExtra("", `1`, "", ""), 0, isKept},
	{"nesting.json", 20_000_000, 2_000_000, writeNesting, 1, "nested deeper than 512"},
	{"long-chain.json", 1_000_000, 100_000, writeNodes(inChain), 1, bySize},
	{"chain.json", 600_000, 50_000, writeNodes(inChain), 1, byParts},
	{"fan.json", 600_000, 50_000, writeNodes(inFan), 1, byParts},
	{"attachments.json", 300_000, 30_000, writeAttachments, 0, "missing"},
	{"fences.json", 20_000_000, 2_000_000, writeText("```\\n"), 0, isKept},
	{"colons.json", 100_000_000, 10_000_000, writeText(":"), 0, isKept},
	{"quotes.json", 50_000_000, 5_000_000, writeText(`\"`), 0, isKept},
	{"citations.json", 25_000_000, 2_500_000, writeText(`> \n`), 0, isKept},
	{"markup.json", 20_000_000, 2_000_000, writeText("<div>"), 0, isKept},
	{"brackets.json", 50_000_000, 5_000_000, writeText("[("), 0, isKept},
	{"escapes.json", 15_000_000, 1_500_000, writeText(`\u0041`), 0, isKept},

	{"rows.csv", 600_000, 60_000, writeRows, 1, byRows},
	{"chats.csv", 300_000, 10_000, writeTableOfChats, 0, isKept},
	{"chats.json", 100_000, 3_000, writeListOfChats, 0, isKept},
	{"activity.zip", 200_000, 3_000, writeActivity, 0, isKept},
	{"cells.zip", 200_000, 3_000, writeCells, 0, isKept},
	{"deep-cell.zip", 1_000_000, 40_000, writeDeepCell, 0, isKept},
	{"deep-page.zip", 1_000_000, 40_000, writeDeepPage, 0, isKept},
	{"turns.zip", 1_000_000, 50_000, writeTurns, 1, byParts},
	{"blocks.md", 2_000_000, 50_000, writeBlocks, 1, byParts},
	{"memories.json", 500_000, 2_500, writeManyMemories, 0, isKept},
	{"memories.md", 500_000, 2_500, writeMemoryList, 0, isKept},
	{"aliases.yaml", 12, 8, writeAliases, 1, "too many values, or nested too deeply"},
	{"memories.mif.json", 500_000, 2_500, writeMIF, 0, isKept},
	{"memories.mem", 100_000, 1_500, writeMem, 0, isKept},
	{"lies.mem", 1000, 100, writeMemLies, 1, "the manifest does not list it"},
	{"document.json", 1_000_000, 20_000, writePDF, 1, "it is a PDF document"},
	{"view.zip", 1, 1, writeEndlessView, 1, "an SQLite database of no known program"},
	{"triggers.zip", 300, 100, writeTriggers, 0, isKept},
	{"huge-rows.zip", 300, 20, writeHugeRows, 1, bySize},
	{"huge-database.zip", 200_000, 10_000, writeHugeDatabase, 1, byDamage},
	{"torn.zip", 10_000, 10_000, writeTornDatabase, 3, byDamage},
}

// writeHostileInput writes an input to a file.
func writeHostileInput(file, name string, full bool) error {
	for _, in := range hostileInputs {
		if in.name != name {
			continue
		}
		n := in.small
		if full {
			n = in.full
		}
		f, err := os.Create(file)
		if err != nil {
			return err
		}
		return errors.Join(in.write(f, n), f.Close())
	}
	return errors.New("no hostile input is called " + strings.TrimSpace(name))
}

// writeHostile is a command of its own in this test: it writes an input to a file.
func writeHostile() {
	if err := writeHostileInput(os.Args[1], os.Args[2], os.Args[3] == "true"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
