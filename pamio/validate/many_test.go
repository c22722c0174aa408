//go:build !race

package validate

// many is how many memories the large store has.
const many = 100_000
