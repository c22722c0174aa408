//go:build !frozen

package frozen

const packed = "" // has no tables
