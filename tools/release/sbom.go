package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// sbom lists the modules that a binary was built from, as CycloneDX 1.6.
func (r *release) sbom(path string, s system) ([]byte, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read modules of %s: %w", path, err)
	}
	type hash struct {
		Alg     string `json:"alg"`
		Content string `json:"content"`
	}
	type component struct {
		Type    string `json:"type"`
		Ref     string `json:"bom-ref,omitempty"`
		Name    string `json:"name"`
		Version string `json:"version"`
		PURL    string `json:"purl,omitempty"`
		Hashes  []hash `json:"hashes,omitempty"`
	}
	purl := func(name, version string) string { return "pkg:golang/" + name + "@" + version }
	components := []component{{Type: "library", Ref: purl("std", info.GoVersion), Name: "std", Version: info.GoVersion, PURL: purl("std", info.GoVersion)}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := component{Type: "library", Ref: purl(m.Path, m.Version), Name: m.Path, Version: m.Version, PURL: purl(m.Path, m.Version)}
		// h1: is the SHA-256 of the list of the module's files (golang.org/x/mod/sumdb/dirhash).
		if sum, ok := strings.CutPrefix(m.Sum, "h1:"); ok {
			raw, err := base64.StdEncoding.DecodeString(sum)
			if err != nil {
				return nil, fmt.Errorf("read checksum of %s: %w", m.Path, err)
			}
			c.Hashes = []hash{{"SHA-256", hex.EncodeToString(raw)}}
		}
		components = append(components, c)
	}
	body, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata": map[string]any{
			"timestamp": r.Time.Format("2006-01-02T15:04:05Z"),
			"component": component{Type: "application", Ref: purl(info.Main.Path, r.Version), Name: "pamline", Version: r.Version, PURL: purl(info.Main.Path, r.Version) + "?goos=" + s.OS + "&goarch=" + s.Arch},
		},
		"components": components,
	}, "", "  ")
	return append(body, '\n'), err
}
