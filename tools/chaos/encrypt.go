package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/sealed"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/tools/internal/cluster"
)

// encrypts tells whether the run of a seed is on an encrypted store. The undisturbed run that it is
// compared with is on a plain one.
func (o options) encrypts(seed uint64) bool {
	return o.encrypt == "all" || o.encrypt == "odd" && seed%2 == 1
}

// newMaster makes a master key, and the settings of workers that encrypt with it.
func newMaster(file string, settings map[string]any) (sealed.Master, error) {
	m, err := sealed.NewMaster(rand.Reader)
	if err == nil {
		err = os.WriteFile(file, m.Text(), 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("make master key: %w", err)
	}
	settings["encryption.new"], settings["encryption.key_file"] = "true", file
	return m, nil
}

func sealStore(s blob.Store, m sealed.Master) blob.Store {
	return sealed.New(s, sealed.NewKeyring(s, m, rand.Reader), state.Sealed)
}

// scan looks for what owners said in every file of the servers and workers: logs, queues and
// scratch never have it, and an encrypted bucket has it in no object but what was put into the
// inbox.
func (r *run) scan(s *State) error {
	folder := filepath.Join(r.folder, "cluster")
	bucket := filepath.Join("objects", cluster.Bucket)
	except := bucket
	if sealed.Of(r.quiet) != nil {
		except = filepath.Join(bucket, "inbox")
	}
	found, read, err := findWords(folder, except, r.material.Owners)
	if err != nil {
		return fmt.Errorf("look for words of owners: %w", err)
	}
	for _, name := range found {
		s.wrong("%s holds words of an owner", name)
	}
	if read < int64(len(r.material.Owners)) {
		s.wrong("the scan for words of owners has read %d bytes: it can find nothing", read)
	}
	return nil
}

// uploading is where the S3 server keeps what it is being sent, uploads of people among it.
const uploading = ".sgwtmp"

// findWords gives the files below a folder that have the words of owners, but for those below one
// folder in it, and how many bytes it has read.
func findWords(folder, except string, owners []string) (found []string, read int64, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if d.IsDir() && (name == except || d.Name() == uploading) {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		read += int64(len(text))
		for _, owner := range owners {
			if bytes.Contains(text, []byte(canary(owner))) || strings.Contains(name, canary(owner)) {
				found = append(found, name)
				break
			}
		}
		return err
	})
	return found, read, err
}
