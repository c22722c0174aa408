// Command screenshots takes pictures of the web page. ADDRESS is what pamline open --no-browser
// prints:
//
//	go run ./cmd/internal/web/screenshots -out docs/page ADDRESS
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/pamline/pamline/cmd/internal/browsertest"
)

// shot is one picture: of a page, or of the page that a link of it leads to.
type shot struct {
	name, path, link string
	width, height    int
	dark             bool
}

var shots = []shot{
	{"conversations", "conversations", "", 960, 680, false},
	{"conversation", "conversations?title=vegetable", ".list a", 960, 900, false},
	{"memories", "memories", "", 960, 680, false},
	{"memory", "memories", `.notes .content a`, 960, 680, false},
	{"review", "review", "", 960, 680, false},
	{"search", "search?q=walnuts", "", 960, 680, false},
	{"timeline", "timeline", "", 960, 680, false},
	{"imports", "imports", "", 960, 680, false},
	{"import", "imports", ".list a", 960, 680, false},
	{"store", "store", "", 960, 900, false},
	{"render", "store/render?for=claude", "", 960, 680, false},
	{"erase", "memories", `.notes .content a`, 960, 680, false},
	{"operations", "operations", "", 960, 680, false},
	{"phone", "memories", "", 390, 680, false},
	{"dark", "memories", "", 960, 680, true},
}

func main() {
	out := flag.String("out", "docs/page", "folder for the pictures")
	all := flag.Bool("all", false, "take each page in light and dark, and for a phone")
	flag.Parse()
	if *all {
		shots = variants(shots)
	}
	if err := takeShots(*out, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

// variants are the pages in light and dark, and for a phone.
func variants(shots []shot) (all []shot) {
	for _, s := range shots {
		if s.width < 600 || s.dark {
			continue
		}
		dark, phone := s, s
		dark.name, dark.dark = s.name+"-dark", true
		phone.name, phone.width, phone.height = s.name+"-phone", 390, 844
		all = append(all, s, dark, phone)
	}
	return all
}

func takeShots(out, address string) (err error) {
	base, err := url.Parse(address)
	if err != nil || base.Host == "" {
		return errors.New("give the address that pamline open --no-browser prints")
	}
	profile, err := os.MkdirTemp("", "screenshots-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(profile)) }()
	ctx, end := context.WithTimeout(context.Background(), 10*time.Minute) // for all pictures
	defer end()
	b, err := browsertest.Start(profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	tab, err := b.Open(ctx, 960, 680)
	if err != nil {
		return err
	}
	if err := errors.Join(os.MkdirAll(out, 0o755), tab.Go(address), tab.Until(`document.querySelector("nav")`)); err != nil {
		return err
	}
	for _, s := range shots {
		if err := s.take(tab, "http://"+base.Host+"/page/", out); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func (s shot) take(tab *browsertest.Tab, base, out string) error {
	file := s.name + ".png"
	if err := errors.Join(tab.Resize(s.width, s.height), tab.SetDark(s.dark), tab.Go(base+s.path)); err != nil {
		return err
	}
	if s.link != "" {
		var target string
		if err := tab.Eval(fmt.Sprintf(`document.querySelector(%q).href`, s.link), &target); err != nil {
			return err
		}
		if s.name, _, _ = strings.Cut(s.name, "-"); s.name == "erase" {
			target = base + "erase?level=memory&id=" + path.Base(target)
		}
		if err := tab.Go(target); err != nil {
			return err
		}
	}
	if err := tab.Until(`!document.querySelector("meta[http-equiv=refresh]")`); err != nil {
		return err
	}
	picture, err := tab.Picture()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, file), picture, 0o644) //nolint:gosec // it is a picture for everybody
}
