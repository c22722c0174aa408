package config

import "testing"

func TestParseSize(t *testing.T) {
	for text, want := range map[string]Size{
		"0": 0, "1": 1, "8388608": 8388608, "8MB": 8e6, "8MiB": 8 << 20, "8 MB": 8e6, "8mb": 8e6, "8mib": 8 << 20,
		"1kB": 1000, "1KB": 1000, "1KiB": 1024, "256MB": 256e6, "64GiB": 64 << 30, "1TiB": 1 << 40, "1.5GB": 15e8, "0.5KiB": 512, "12B": 12, "1_000_000": 1e6, " 3MB ": 3e6,
	} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "MB", "-1", "8M", "8 MB MB", "1.2.3MB", "1e6", "0x10", "8MBytes", "9223372036854775808", "9e18TB", "1.5B", ".", "8٣MB"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q) = %d", text, got)
		}
	}
}

func FuzzSizeComesBackFromItsOwnForm(f *testing.F) {
	for _, s := range []string{"8MB", "8MiB", "1.5GB", "0", "1025", "9223372036854775807", "x", "1e3MB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseSize(text)
		if err != nil {
			return
		}
		if n < 0 {
			t.Fatalf("%q is negative: %d", text, n)
		}
		if back, err := ParseSize(n.String()); err != nil || back != n {
			t.Fatalf("%d is written %s and read %d, %v", n, n, back, err)
		}
	})
}

func FuzzLoadNeverPanics(f *testing.F) {
	f.Add("limits.max_conversation", "8MB", "LIMITS__MAX_DEPTH=3")
	f.Add("store", "x", "STORE=1")
	f.Add("a.b.c", "", "=")
	f.Add("workers.x", "1", "WORKERS=1")
	f.Fuzz(func(_ *testing.T, key, value, env string) {
		// Files that a fuzzed path might name are not opened.
		for _, field := range Fields() {
			if field.Type == "file" && (field.Key == key) {
				return
			}
		}
		_, _ = Load(Sources{Set: map[string]string{key: value}, Environ: []string{EnvPrefix + env}})
	})
}
