package main

import (
	"bytes"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// strangers looks for words of one owner among what another one has. Packed objects are unpacked
// where that is one step; in the others words that come for the first time stand as they are.
func (s *State) strangers(owners []string, all map[string][]byte) {
	z, err := zstd.NewReader(nil)
	if err != nil {
		panic(err) // without options there is nothing to be wrong
	}
	defer z.Close()
	found := map[string]bool{}
	for key, body := range all {
		if strings.HasSuffix(key, ".zst") {
			if plain, err := z.DecodeAll(body, nil); err == nil {
				body = plain
			} else {
				s.wrong("%s cannot be unpacked: %v", key, err)
			}
		}
		for _, owner := range owners {
			if !bytes.Contains(body, []byte(canary(owner))) {
				continue
			}
			if parts := strings.Split(key, "/"); len(parts) < 2 || parts[1] != owner {
				s.wrong("%s holds words of %s", key, owner)
			}
			found[owner] = true
		}
	}
	for _, owner := range owners {
		if !found[owner] {
			s.wrong("no object holds what %s said: the check for strangers' words can find nothing", owner)
		}
	}
}
