package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// packed packs a release of two small systems into a new folder.
func packed(t *testing.T) (*release, string) {
	t.Helper()
	r := &release{Out: t.TempDir(), Version: "v1.2.3", Time: time.Unix(1_700_000_000, 0).UTC()}
	var built []system
	for _, s := range []system{{OS: "linux", Arch: "amd64"}, {OS: "darwin", Arch: "arm64"}, {OS: "windows", Arch: "amd64"}} {
		for _, p := range []string{"pamline", "pamline-ingest", "pamline-extract", "pamline-assemble"} {
			s.Files = append(s.Files, file{p, 0o755, []byte(p + " of " + s.OS)})
		}
		s.Files = append(s.Files, file{"LICENSE", 0o644, []byte("license")})
		if s.OS != "windows" {
			for _, h := range helpFiles {
				s.Files = append(s.Files, file{h.name, 0o644, []byte(h.name)})
			}
		}
		if err := r.pack(s); err != nil {
			t.Fatal(err)
		}
		built = append(built, s)
	}
	if err := errors.Join(r.image(built), r.formula(), writeSums(r.Out)); err != nil {
		t.Fatal(err)
	}
	return r, r.Out
}

func read(t *testing.T, folder, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// members are the files of a tar archive.
func members(t *testing.T, body []byte) map[string]string {
	t.Helper()
	out := map[string]string{}
	for r := tar.NewReader(bytes.NewReader(body)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[h.Name] = string(text)
	}
}

func unpacked(t *testing.T, body []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTheSameInputGivesTheSameBytes(t *testing.T) {
	_, one := packed(t)
	_, two := packed(t)
	if a, b := read(t, one, "SHA256SUMS"), read(t, two, "SHA256SUMS"); !bytes.Equal(a, b) {
		t.Errorf("two runs differ:\n%s\n%s", a, b)
	}
	if n := bytes.Count(read(t, one, "SHA256SUMS"), []byte("\n")); n != 7 {
		t.Errorf("%d files, want two tar.gz, zip, deb, rpm, image and formula", n)
	}
}

func TestArchivesHaveThePrograms(t *testing.T) {
	_, out := packed(t)
	files := members(t, unpacked(t, read(t, out, "pamline_1.2.3_darwin_arm64.tar.gz")))
	if files["pamline"] != "pamline of darwin" || files["LICENSE"] != "license" {
		t.Errorf("got %v", files)
	}
	body := read(t, out, "pamline_1.2.3_windows_amd64.zip")
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil || len(z.File) != 5 {
		t.Error(z, err)
	}
}

func TestADebHasControlAndFiles(t *testing.T) {
	_, out := packed(t)
	body := read(t, out, "pamline_1.2.3_linux_amd64.deb")
	parts := map[string][]byte{}
	for rest := body[len("!<arch>\n"):]; len(rest) > 60; {
		name := strings.TrimSpace(string(rest[:16]))
		size := 0
		for _, c := range strings.TrimSpace(string(rest[48:58])) {
			size = 10*size + int(c-'0')
		}
		parts[name] = rest[60 : 60+size]
		rest = rest[60+size+size%2:]
	}
	control := members(t, unpacked(t, parts["control.tar.gz"]))["./control"]
	files := members(t, unpacked(t, parts["data.tar.gz"]))
	if string(parts["debian-binary"]) != "2.0\n" || !strings.Contains(control, "\nVersion: 1.2.3\n") || !strings.Contains(control, "\nArchitecture: amd64\n") ||
		files["./usr/bin/pamline"] != "pamline of linux" || files["./usr/share/doc/pamline/LICENSE"] == "" {
		t.Errorf("control %q, files %v", control, files)
	}
	for _, h := range helpFiles {
		if files["./"+h.installed] != h.name {
			t.Errorf("%s is not at %s", h.name, h.installed)
		}
	}
	if _, ok := files["./usr/share/man/man1/"]; !ok {
		t.Error("a folder is missing")
	}
	if magic := read(t, out, "pamline_1.2.3_linux_amd64.rpm")[:4]; !bytes.Equal(magic, []byte{0xed, 0xab, 0xee, 0xdb}) {
		t.Errorf("an rpm does not begin with % x", magic)
	}
}

func TestEveryBlobOfTheImageIsThereUnderItsDigest(t *testing.T) {
	_, out := packed(t)
	files := members(t, read(t, out, "pamline_1.2.3_linux_image.oci.tar"))
	get := func(d descriptor) []byte {
		body := files["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]
		if len(body) != d.Size || "sha256:"+sum([]byte(body)) != d.Digest {
			t.Fatalf("blob %s has %d bytes, want %d", d.Digest, len(body), d.Size)
		}
		return []byte(body)
	}
	var index ociIndex
	if err := json.Unmarshal([]byte(files["index.json"]), &index); err != nil || len(index.Manifests) != 1 {
		t.Fatal(index, err)
	}
	var m ociManifest
	if err := json.Unmarshal(get(index.Manifests[0]), &m); err != nil {
		t.Fatal(err)
	}
	var c ociConfig
	if err := json.Unmarshal(get(m.Config), &c); err != nil {
		t.Fatal(err)
	}
	layer := unpacked(t, get(m.Layers[0]))
	if c.RootFS.DiffIDs[0] != "sha256:"+sum(layer) || members(t, layer)["usr/local/bin/ingest"] != "pamline-ingest of linux" {
		t.Errorf("config %+v", c)
	}
}

func TestTheFormulaNamesTheArchivesWithTheirSums(t *testing.T) {
	_, out := packed(t)
	text := string(read(t, out, "pamline.rb"))
	want := sum(read(t, out, "pamline_1.2.3_darwin_arm64.tar.gz"))
	if !strings.Contains(text, "v1.2.3/pamline_1.2.3_darwin_arm64.tar.gz") || !strings.Contains(text, want) || !strings.Contains(text, "on_macos do") {
		t.Errorf("got\n%s", text)
	}
}

func TestVersionsOfPackagesBeginWithADigit(t *testing.T) {
	for version, want := range map[string][2]string{
		"v1.2.3": {"1.2.3", "1.2.3"}, "v1.2.3-rc.1": {"1.2.3-rc.1", "1.2.3~rc.1"}, "v1.2.3-4-gabc": {"1.2.3-4-gabc", "1.2.3~4~gabc"},
		"abc123": {"0.0.0-abc123", "0.0.0~abc123"}, "1a2b3c": {"0.0.0-1a2b3c", "0.0.0~1a2b3c"},
	} {
		r := &release{Version: version}
		if got := [2]string{r.number(), r.packageVersion()}; got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
	}
}
