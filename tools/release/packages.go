package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/google/rpmpack"
)

const (
	summary  = "Turns export archives of AI assistants into Portable AI Memory stores"
	homepage = "https://github.com/pamline/pamline"
)

// helpFiles are what shells and man read: names in the archive, where packages put them, and the
// command that prints them.
var helpFiles = []struct {
	name, installed string
	args            []string
}{
	{"completions/pamline.bash", "usr/share/bash-completion/completions/pamline", []string{"completion", "bash"}},
	{"completions/_pamline", "usr/share/zsh/site-functions/_pamline", []string{"completion", "zsh"}},
	{"completions/pamline.fish", "usr/share/fish/vendor_completions.d/pamline.fish", []string{"completion", "fish"}},
	{"man/pamline.1", "usr/share/man/man1/pamline.1", []string{"man"}},
}

// installed is where a package puts a file of the archive.
func installed(name string) string {
	for _, h := range helpFiles {
		if h.name == name {
			return h.installed
		}
	}
	if strings.HasPrefix(name, "pamline") {
		return "usr/bin/" + name
	}
	return "usr/share/doc/pamline/" + name
}

// folders are those of installed files, parents first.
func folders(files []file) (dirs []file) {
	seen := map[string]bool{}
	var add func(dir string)
	add = func(dir string) {
		if seen[dir] {
			return
		}
		seen[dir] = true
		if dir != "." {
			add(path.Dir(dir))
			dirs = append(dirs, file{Name: "./" + dir + "/", Mode: 0o755})
			return
		}
		dirs = append(dirs, file{Name: "./", Mode: 0o755})
	}
	for _, f := range files {
		add(path.Dir(installed(f.Name)))
	}
	return dirs
}

// deb writes a Debian package: an ar archive of a version, a control archive and the files.
func (r *release) deb(s system) error {
	files := folders(s.Files)
	size := 0
	for _, f := range s.Files {
		files = append(files, file{"./" + installed(f.Name), f.Mode, f.Body})
		size += len(f.Body)
	}
	data, err := tarGz(files, r.Time)
	if err != nil {
		return err
	}
	control := fmt.Sprintf("Package: pamline\nVersion: %s\nSection: utils\nPriority: optional\nArchitecture: %s\nInstalled-Size: %d\nMaintainer: The pamline authors <%s>\nHomepage: %s\nDescription: %s\n",
		r.packageVersion(), s.Arch, (size+1023)/1024, homepage, homepage, summary)
	meta, err := tarGz([]file{{Name: "./", Mode: 0o755}, {"./control", 0o644, []byte(control)}}, r.Time)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	out.WriteString("!<arch>\n")
	for _, f := range []file{{"debian-binary", 0o644, []byte("2.0\n")}, {"control.tar.gz", 0o644, meta}, {"data.tar.gz", 0o644, data}} {
		fmt.Fprintf(&out, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", f.Name, r.Time.Unix(), 0, 0, 0o100000|f.Mode, len(f.Body))
		out.Write(f.Body)
		if len(f.Body)%2 == 1 {
			out.WriteByte('\n')
		}
	}
	return os.WriteFile(r.name(s, ".deb"), out.Bytes(), 0o644)
}

// rpmArch are the names that rpm has for processors.
var rpmArch = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}

// rpm writes a package for Fedora and its relatives.
func (r *release) rpm(s system) error {
	p, err := rpmpack.NewRPM(rpmpack.RPMMetaData{
		Name: "pamline", Version: r.packageVersion(), Release: "1", Arch: rpmArch[s.Arch], OS: "linux", Summary: summary, Description: summary,
		URL: homepage, Licence: "Apache-2.0", Packager: "The pamline authors", Compressor: "gzip", BuildTime: r.Time, BuildHost: "localhost",
	})
	if err != nil {
		return err
	}
	for _, f := range s.Files {
		p.AddFile(rpmpack.RPMFile{Name: "/" + installed(f.Name), Mode: uint(0o100000 | f.Mode), Body: f.Body, MTime: uint32(r.Time.Unix()), Owner: "root", Group: "root"})
	}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		return err
	}
	return os.WriteFile(r.name(s, ".rpm"), out.Bytes(), 0o644)
}
