package main

import (
	"slices"
	"strings"
)

// requirement is a line of the page.
type requirement struct {
	id string
	// what is asked for, in a few words; the specification has the text.
	what string
	// section of the specification.
	section string
	// tests that show it: package folder, colon, name of the test, perhaps with that of a subtest.
	tests []string
}

// group is a table of the page.
type group struct {
	title string
	lines []requirement
}

var groups = []group{
	{"Producer", producer}, {"Validator", validator}, {"Importer and merger", importer}, {"Signer and verifier", signer},
}

// allTests are those of all requirements, without repetition.
func allTests() (all []string) {
	for _, g := range groups {
		for _, r := range g.lines {
			all = append(all, r.tests...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// splitTest gives the package folder of a test, its top-level function, and the subtest, if there
// is one.
func splitTest(test string) (folder, top, sub string) {
	folder, name, _ := strings.Cut(test, ":")
	top, sub, _ = strings.Cut(name, "/")
	return folder, top, sub
}
