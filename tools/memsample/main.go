// Memsample chooses memories for a person to judge: as many as are asked for of those that a store
// shows, the same ones for the same seed. A FILE is a memory store, or the candidates that pamline
// extract writes, one a line.
//
//	go run ./tools/memsample [-n 100] [-seed 1] FILE…
package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
)

func main() {
	n := flag.Int("n", 100, "how many memories")
	seed := flag.Int("seed", 1, "another seed chooses others")
	flag.Parse()
	if err := writeSample(os.Stdout, flag.Args(), *n, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "memsample:", err)
		os.Exit(1)
	}
}

// shown is a memory that a store shows, with the words that it was made of.
type shown struct {
	content, quote string
	rank           [sha256.Size]byte
}

// writeSample writes the chosen memories, one a line.
func writeSample(w io.Writer, files []string, n, seed int) error {
	var all []shown
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return fmt.Errorf("open memories: %w", err)
		}
		found, err := readMemories(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		all = append(all, found...)
	}
	for i, m := range chooseSample(all, n, seed) {
		if _, err := fmt.Fprintf(w, "%d. %s  [%s]\n", i+1, m.content, m.quote); err != nil {
			return fmt.Errorf("write sample: %w", err)
		}
	}
	return nil
}

// chooseSample takes the memories that a hash with the seed puts first; each content once.
func chooseSample(all []shown, n, seed int) []shown {
	for i := range all {
		all[i].rank = sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, all[i].content))
	}
	slices.SortFunc(all, func(a, b shown) int {
		return cmp.Or(slices.Compare(a.rank[:], b.rank[:]), cmp.Compare(a.quote, b.quote))
	})
	all = slices.CompactFunc(all, func(a, b shown) bool { return a.content == b.content })
	return all[:min(n, len(all))]
}

// sure is the confidence from which a store shows a memory.
const sure = 0.5

// readMemories takes the documents of a file: a store, or candidates.
func readMemories(r io.Reader) ([]shown, error) {
	dec := json.NewDecoder(bufio.NewReader(r))
	var all []shown
	for {
		var d struct {
			Memories []struct {
				Content, Status string
				Metadata        struct {
					Evidence []struct{ Quote string }
				}
			}
			Content, Quote, Act string
			Confidence          json.RawMessage
		}
		err := dec.Decode(&d)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("decode memories: %w", err)
		}
		for _, m := range d.Memories {
			if m.Status == "active" && len(m.Metadata.Evidence) > 0 {
				all = append(all, shown{content: m.Content, quote: m.Metadata.Evidence[0].Quote})
			}
		}
		var confidence float64
		if d.Content != "" && d.Act == "" && json.Unmarshal(d.Confidence, &confidence) == nil && confidence >= sure {
			all = append(all, shown{content: d.Content, quote: d.Quote})
		}
	}
}
