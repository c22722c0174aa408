//go:build race

package validate

// many is how many memories the large store has; under the race detector all is some ten times
// slower.
const many = 5_000
