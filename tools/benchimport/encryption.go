package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

const encryptionHeader = "                  median wall time in s         median processor time in s\n" +
	"archive           plain  encrypted    cost      plain  encrypted    cost\n"

// measureEncryption imports an archive into plain and encrypted data folders, in turn. The two of a
// round begin alternately, so that neither always has the warmer cache.
func measureEncryption(o options, scratch, archive string) error {
	walls, cpus := map[bool][]time.Duration{}, map[bool][]time.Duration{}
	for i := range o.rounds {
		for _, encrypted := range []bool{i%2 == 1, i%2 == 0} {
			folder := filepath.Join(scratch, fmt.Sprintf("%s-%d-%t", filepath.Base(archive), i, encrypted))
			c, err := importOnce(o.bin, folder, archive, append(slices.Clone(o.extra), "--set", "encryption.new="+strconv.FormatBool(encrypted))...)
			if err != nil {
				return err
			}
			walls[encrypted], cpus[encrypted] = append(walls[encrypted], c.wall), append(cpus[encrypted], c.cpu)
		}
	}
	fmt.Print(encryptionRow(filepath.Base(archive), walls, cpus))
	return nil
}

// encryptionRow is a line below the header; the keys of the maps tell whether the data folder was
// encrypted. The cost is the median of those of the rounds: the two imports of a round meet about
// the same other work on the machine.
func encryptionRow(name string, walls, cpus map[bool][]time.Duration) string {
	return fmt.Sprintf("%-14s %8.2f %10.2f %6.1f%% %10.2f %10.2f %6.1f%%\n", name,
		median(walls[false]).Seconds(), median(walls[true]).Seconds(), costs(walls), median(cpus[false]).Seconds(), median(cpus[true]).Seconds(), costs(cpus))
}

// costs is by how many percent the encrypted import of a round takes longer, in the median.
func costs(times map[bool][]time.Duration) float64 {
	var all []float64
	for i, plain := range times[false] {
		all = append(all, 100*(float64(times[true][i])/float64(plain)-1))
	}
	return median(all)
}

func median[T cmp.Ordered](all []T) T {
	return slices.Sorted(slices.Values(all))[len(all)/2]
}
