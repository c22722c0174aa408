package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pamline/pamline/tools/internal/made"
)

// writeOthers writes the exports that a list names, as in "claude=6000,gemini=700000".
func writeOthers(folder, list string) (archives []string, err error) {
	for item := range strings.SplitSeq(list, ",") {
		provider, count, _ := strings.Cut(item, "=")
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("read -others: %q is not a provider, = and a number above 0: write for example gemini=700000", item)
		}
		name := filepath.Join(folder, provider+".zip")
		f, err := os.Create(name)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(made.Many{Seed: 7, Provider: provider, Count: n}.Write(f), f.Close()); err != nil {
			return nil, err
		}
		archives = append(archives, name)
	}
	return archives, nil
}
