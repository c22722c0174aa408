package mem

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// ErrManifest is wrapped when a manifest cannot be read.
var ErrManifest = errors.New("manifest.json does not have the form of a .mem manifest")

// Manifest is manifest.json.
type Manifest struct {
	Format             string           `json:"format"`
	Generator          string           `json:"generator"`
	ConformanceLevel   string           `json:"conformanceLevel"`
	CreatedAt          string           `json:"createdAt"`
	ExportMode         string           `json:"exportMode"`
	SchemaVersion      int64            `json:"schemaVersion"`
	EmbeddingModel     string           `json:"embeddingModel"`
	EmbeddingDim       int64            `json:"embeddingDim"`
	EmbeddingsIncluded bool             `json:"embeddingsIncluded"`
	Capabilities       []string         `json:"capabilities"`
	Counts             map[string]int64 `json:"counts"`
	Files              []File           `json:"files"`
	Since              string           `json:"since,omitempty"`
	SpecURL            string           `json:"specURL,omitempty"`
	Coverage           *Coverage        `json:"coverage,omitempty"`
	Scopes             []string         `json:"scopes,omitempty"`
	BundleDigest       string           `json:"bundleDigest,omitempty"`
}

// File is one entry of the manifest's list of files.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// Coverage is the range of the event times of the episodes.
type Coverage struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// required are the members that every manifest has.
var required = map[string]jsonscan.Kind{
	"format": jsonscan.String, "generator": jsonscan.String, "conformanceLevel": jsonscan.String, "createdAt": jsonscan.String,
	"exportMode": jsonscan.String, "schemaVersion": jsonscan.Number, "embeddingModel": jsonscan.String, "embeddingDim": jsonscan.Number,
	"embeddingsIncluded": jsonscan.Bool, "capabilities": jsonscan.Array, "counts": jsonscan.Object, "files": jsonscan.Array,
}

var (
	semver = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)
	digest = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// ParseManifest reads a manifest strictly. Members that the format does not know are passed over.
func ParseManifest(src []byte) (*Manifest, error) {
	d, err := jsonscan.Parse(src, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrManifest, err)
	}
	root := d.Root()
	if root.Kind() != jsonscan.Object || root.Odd() {
		return nil, fmt.Errorf("%w: it is not an unambiguous JSON object", ErrManifest)
	}
	for name, k := range required {
		if root.Get(name).Kind() != k {
			return nil, fmt.Errorf("%w: %s is missing or has the wrong type", ErrManifest, name)
		}
	}
	m := &Manifest{}
	if err := json.Unmarshal(src, m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrManifest, err)
	}
	_, timeErr := ParseTime(m.CreatedAt)
	switch {
	case !semver.MatchString(m.Format):
		return nil, fmt.Errorf("%w: format is not a version like 1.1.0", ErrManifest)
	case !slices.Contains([]string{"L0", "L1", "L2", "L3"}, m.ConformanceLevel):
		return nil, fmt.Errorf("%w: conformanceLevel is not one of L0 to L3", ErrManifest)
	case m.ExportMode != "full" && m.ExportMode != "incremental":
		return nil, fmt.Errorf("%w: exportMode is neither full nor incremental", ErrManifest)
	case timeErr != nil:
		return nil, fmt.Errorf("%w: createdAt is not a time", ErrManifest)
	case m.EmbeddingDim < 0:
		return nil, fmt.Errorf("%w: embeddingDim is negative", ErrManifest)
	}
	seen := map[string]bool{}
	for _, f := range m.Files {
		if !digest.MatchString(f.SHA256) || f.Bytes < 0 || seen[f.Path] {
			return nil, fmt.Errorf("%w: the entry of a file is malformed or stands there twice", ErrManifest)
		}
		seen[f.Path] = true
	}
	return m, nil
}

// canonical is the manifest's text.
func (m *Manifest) canonical() ([]byte, error) {
	src, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("write manifest: %w", err)
	}
	return Canonicalize(src)
}

// isSafePath tells whether a path of a manifest stays in the bundle and is one a bundle may have.
func isSafePath(p string) bool {
	return p != "" && !strings.ContainsAny(p, "\\:~\x00") && fs.ValidPath(p) && path.Clean(p) == p && p != "."
}

// isListable tells whether a file belongs into the list of a manifest.
func isListable(p string) bool {
	if p == TombstonesFile || p == LogFile || p == EvidenceFile {
		return true
	}
	folder, name := path.Split(p)
	return folder == "items/" && strings.HasSuffix(name, ".jsonl") && name != ".jsonl" || folder == "embeddings/" && strings.HasSuffix(name, ".vec")
}

// checksumsText is the text of CHECKSUMS for a list of files, which is sorted by path.
func checksumsText(files []File) []byte {
	var b []byte
	for _, f := range files {
		b = append(append(append(append(b, f.SHA256...), "  "...), f.Path...), '\n')
	}
	if len(files) == 0 {
		return []byte("\n")
	}
	return b
}
