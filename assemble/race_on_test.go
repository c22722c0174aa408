//go:build race

package assemble

const raceEnabled = true
