package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestFiguresAreReadAsTheyWereWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "growth.csv")
	want := []point{{"archive", 1, 0.25, 0.5, 120}, {"owners", 100, 12.5, 30, 98}}
	if err := writePoints(file, want); err != nil {
		t.Fatal(err)
	}
	got, err := readPoints(file)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if got, err := readPoints(file + ".none"); err != nil || got != nil {
		t.Errorf("no file gives %v, %v", got, err)
	}
	if err := os.WriteFile(file, []byte("series,n,processor_s,wall_s,peak_mb\narchive,many,1,1,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readPoints(file); err == nil {
		t.Error("a size that is no number was read")
	}
}

func TestThePlotIsXMLWithEachFigure(t *testing.T) {
	picture := string(svg([]point{{"archive", 1, 0.25, 0.5, 120}, {"archive", 10, 2.5, 3, 120}, {"branches", 1, 0, 0, 90}}))
	if n := strings.Count(picture, "<circle"); n != 3 {
		t.Errorf("%d points, want 3", n)
	}
	for d := xml.NewDecoder(strings.NewReader(picture)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestASeriesThatThereIsNotIsRefused(t *testing.T) {
	if err := run("bin", filepath.Join(t.TempDir(), "a.csv"), filepath.Join(t.TempDir(), "a.svg"), "moons", 0, false); err == nil || !strings.Contains(err.Error(), "moons") {
		t.Errorf("got %v", err)
	}
}
