package flags

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

type line struct {
	Config string   `env:"FLAGS_TEST_CONFIG" type:"path"`
	Data   string   `type:"path"`
	Owner  string   `type:"owner"`
	Files  []string `arg:"" optional:"" type:"path"`
}

func parse(t *testing.T, args ...string) (line, error) {
	t.Helper()
	var l line
	parser, err := kong.New(&l, Types()...)
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(args)
	return l, err
}

func TestPathsAreTakenAsTyped(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	got, err := parse(t, "--data", "x", "a", ".", "/b", "~/c", "~d")
	if err != nil {
		t.Fatal(err)
	}
	if got.Data != "x" || !slices.Equal(got.Files, []string{"a", ".", "/b", "/home/me/c", "~d"}) {
		t.Errorf("got %+v", got)
	}
}

func TestAnEmptyPathIsNotTheWorkingDirectory(t *testing.T) {
	for _, args := range [][]string{{"--data", ""}, {"--data="}, {""}, {"a", "", "b"}} {
		if got, err := parse(t, args...); err == nil || !strings.Contains(err.Error(), "empty") {
			t.Errorf("%q: %+v, %v", args, got, err)
		}
	}
}

func TestAnEmptyVariableOfTheEnvironmentIsUnset(t *testing.T) {
	t.Setenv("FLAGS_TEST_CONFIG", "")
	if got, err := parse(t); err != nil || got.Config != "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestOwnersAreChecked(t *testing.T) {
	for id, good := range map[string]bool{
		"me": true, "0_a-b": true, strings.Repeat("a", 63): true,
		"": false, "Me": false, "é": false, "a/b": false, "..": false, "_a": false, "a b": false, strings.Repeat("a", 64): false,
	} {
		if got, err := parse(t, "--owner="+id); (err == nil) != good || good && got.Owner != id {
			t.Errorf("%q: %+v, %v", id, got, err)
		}
	}
}
