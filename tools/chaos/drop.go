package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Part is one file of a drop.
type Part struct {
	Name string
	Body []byte
}

// Drop is what an owner puts into the inbox at one time: a file, or the files of a folder.
type Drop struct {
	Owner string
	Name  string // of the file or folder in the inbox
	Parts []Part
	// Folder: the parts are files of a folder. Marked: it is said when they are all there; else
	// quiet time says so.
	Folder, Marked bool
	// Export: the folder is one unpacked export, not several archives.
	Export bool
	// At is when, from 0 to 1 of the time in which faults happen.
	At float64
	// Silent: no notification of it comes.
	Silent bool
	// Digest is the name that pamline gives it.
	Digest string
}

func file(owner, name string, body []byte) Drop {
	return Drop{Owner: owner, Name: name, Parts: []Part{{name, body}}}
}

func inParts(owner, name string, parts ...Part) Drop {
	return Drop{Owner: owner, Name: name, Parts: parts, Folder: true}
}

func unpacked(owner, name string, files map[string][]byte) Drop {
	d := Drop{Owner: owner, Name: name, Folder: true, Marked: true, Export: true}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		d.Parts = append(d.Parts, Part{path, files[path]})
	}
	return d
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// name works the digest out: of the one file, of the digests of several archives, or of the paths
// and digests of a folder.
func (d *Drop) name() {
	var lines []string
	for _, p := range d.Parts {
		if d.Export {
			lines = append(lines, fmt.Sprintf("%s %d:%s", digest(p.Body), len(p.Name), p.Name))
		} else {
			lines = append(lines, digest(p.Body))
		}
	}
	if d.Export {
		// Its files are in the order of their paths; the folder is the one part of the drop.
		d.Digest = digest([]byte("pamline-folder/1\n" + strings.Join(lines, "\n") + "\n"))
		return
	}
	slices.Sort(lines)
	if d.Digest = lines[0]; len(lines) > 1 {
		d.Digest = digest([]byte("pamline-drop/1\n" + strings.Join(lines, "\n") + "\n"))
	}
}
