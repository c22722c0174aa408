package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

var formulaText = template.Must(template.New("formula").Parse(`class Pamline < Formula
  desc "{{.Summary}}"
  homepage "{{.Homepage}}"
  version "{{.Number}}"
  license "Apache-2.0"
{{range .Systems}}
  on_{{.System}} do{{range .Archives}}
    on_{{.CPU}} do
      url "{{$.Homepage}}/releases/download/{{$.Version}}/{{.File}}"
      sha256 "{{.Sum}}"
    end{{end}}
  end
{{end}}
  def install
    bin.install Dir["pamline*"]
    generate_completions_from_executable(bin/"pamline", "completion")
    (man1/"pamline.1").write Utils.safe_popen_read(bin/"pamline", "man")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/pamline --version")
  end
end
`))

// formula writes the Homebrew formula of the archives that were built for macOS and Linux.
func (r *release) formula() error {
	type archive struct{ CPU, File, Sum string }
	type section struct {
		System   string
		Archives []archive
	}
	var systems []section
	for _, of := range []struct{ name, os string }{{"macos", "darwin"}, {"linux", "linux"}} {
		s := section{System: of.name}
		for _, cpu := range []struct{ name, arch string }{{"intel", "amd64"}, {"arm", "arm64"}} {
			path := r.name(system{OS: of.os, Arch: cpu.arch}, ".tar.gz")
			body, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it was not among the targets
			}
			if err != nil {
				return err
			}
			s.Archives = append(s.Archives, archive{cpu.name, filepath.Base(path), sum(body)})
		}
		if len(s.Archives) > 0 {
			systems = append(systems, s)
		}
	}
	if len(systems) == 0 {
		return nil
	}
	var out strings.Builder
	err := formulaText.Execute(&out, map[string]any{"Summary": summary, "Homepage": homepage, "Number": r.number(), "Version": r.Version, "Systems": systems})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.Out, "pamline.rb"), []byte(out.String()), 0o644)
}
