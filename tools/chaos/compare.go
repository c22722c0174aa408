package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// compareStates names every difference between what an undisturbed run has left and what another
// one has.
func compareStates(want, got State) (out []string) {
	out = append(out, got.Wrong...)
	for _, key := range slices.Sorted(maps.Keys(want.Files)) {
		body, ok := got.Files[key]
		switch {
		case !ok:
			out = append(out, "missing: "+key)
		case !bytes.Equal(body, want.Files[key]):
			out = append(out, fmt.Sprintf("differs: %s, %d bytes, undisturbed %d", key, len(body), len(want.Files[key])))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got.Files)) {
		if _, ok := want.Files[key]; !ok {
			out = append(out, "not there in the undisturbed run: "+key)
		}
	}
	for _, l := range slices.Sorted(maps.Keys(want.Letters)) {
		if !got.Letters[l] {
			out = append(out, "no dead letter: "+l)
		}
	}
	for _, l := range slices.Sorted(maps.Keys(got.Letters)) {
		if !want.Letters[l] {
			out = append(out, "dead letter: "+l)
		}
	}
	return out
}

// compareAll names the differences after each act.
func compareAll(acts []act, want, got []State) (out []string) {
	for n, a := range acts {
		for _, d := range compareStates(want[n], got[n]) {
			out = append(out, "after "+a.name+": "+d)
		}
	}
	return out
}

// keepBoth writes the objects that differ into want/ and got/ of a folder, for a person to look at.
func keepBoth(folder string, want, got State) error {
	for name, pair := range map[string][2]State{"want": {want, got}, "got": {got, want}} {
		for key, body := range pair[0].Files {
			if other, ok := pair[1].Files[key]; ok && bytes.Equal(body, other) {
				continue
			}
			file := filepath.Join(folder, name, filepath.FromSlash(key))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(file, body, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}
