package dispatch

import "hash/fnv"

// Partitions is the number of lanes of the assembly; an owner always maps to the same one, so the
// drops of one owner that end together meet in one batch.
const Partitions = 16

// PartitionOf maps an owner to a partition by FNV-1a, which is stable across versions and
// languages.
func PartitionOf(owner string) int { return partitionOf(owner, Partitions) }

func partitionOf(owner string, partitions uint32) int {
	h := fnv.New32a()
	h.Write([]byte(owner))
	return int(h.Sum32() % max(partitions, 1))
}
