package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes. It is written as 8MB (8,000,000), 8MiB (8,388,608) or a plain number
// of bytes.
type Size int64

// units from large to small, decimal and binary ones mixed, so that the first that divides a size
// names it shortest.
var units = []struct {
	name  string
	bytes int64
}{
	{"TiB", 1 << 40}, {"TB", 1e12}, {"GiB", 1 << 30}, {"GB", 1e9}, {"MiB", 1 << 20}, {"MB", 1e6}, {"KiB", 1 << 10}, {"kB", 1e3}, {"B", 1},
}

// ParseSize reads a size. Letters may be large or small; a decimal point is allowed before a unit:
// 1.5GB.
func ParseSize(s string) (Size, error) {
	text := strings.TrimSpace(s)
	at := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != '_' })
	if at < 0 {
		at = len(text)
	}
	number, name := strings.ReplaceAll(text[:at], "_", ""), strings.TrimSpace(text[at:])
	factor := int64(0)
	for _, u := range units {
		if strings.EqualFold(name, u.name) {
			factor = u.bytes
		}
	}
	if name == "" {
		factor = 1
	}
	if number == "" || factor == 0 {
		return 0, fmt.Errorf("%q is not a size: write a number of bytes, or one with a unit such as 8MB or 8MiB", s)
	}
	if whole, err := strconv.ParseInt(number, 10, 64); err == nil {
		if whole > math.MaxInt64/factor {
			return 0, fmt.Errorf("%q is more than %d bytes", s, int64(math.MaxInt64))
		}
		return Size(whole * factor), nil
	}
	fraction, err := strconv.ParseFloat(number, 64)
	if err != nil || factor == 1 {
		return 0, fmt.Errorf("%q is not a size: write a whole number of bytes, or one with a unit such as 1.5GB", s)
	}
	if fraction*float64(factor) >= math.MaxInt64 {
		return 0, fmt.Errorf("%q is more than %d bytes", s, int64(math.MaxInt64))
	}
	return Size(math.Round(fraction * float64(factor))), nil
}

// String gives the shortest form without loss: 256MB, 64GiB, 1025B.
func (s Size) String() string {
	if s == 0 {
		return "0B"
	}
	best := strconv.FormatInt(int64(s), 10) + "B"
	for _, u := range units {
		if int64(s)%u.bytes != 0 {
			continue
		}
		if form := strconv.FormatInt(int64(s)/u.bytes, 10) + u.name; len(form) < len(best) {
			best = form
		}
	}
	return best
}

// MarshalText makes sizes readable in YAML and JSON.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText is [ParseSize].
func (s *Size) UnmarshalText(b []byte) error {
	v, err := ParseSize(string(b))
	if err != nil {
		return err
	}
	*s = v
	return nil
}
