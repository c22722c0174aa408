package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// formatHome gives a way to run commands on an empty data folder that is not encrypted, and a path
// in its folder.
func formatHome(t *testing.T) (run func(want int, args ...string) string, at func(string) string) {
	t.Helper()
	folder := t.TempDir()
	at = func(name string) string { return filepath.Join(folder, name) }
	run = func(want int, args ...string) string {
		t.Helper()
		return pamlineRuns(t, want, append(args, "--data", at("data"), "--set", "encryption.new=false")...)
	}
	return run, at
}

// readStore reads the store of a bundle.
func readStore(t *testing.T, bundle string) (store map[string]any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(bundle, "memory-store.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &store); err != nil {
		t.Fatal(err)
	}
	return store
}

// A signed store is signed by the same key when it has been a bundle of another format.
func TestASignatureComesBackThroughOtherFormats(t *testing.T) {
	t.Parallel()
	run, at := formatHome(t)
	if err := os.WriteFile(at("talks.json"), []byte(encryptedTalks), 0o600); err != nil {
		t.Fatal(err)
	}
	run(0, "import", "--owner", "me", at("talks.json"))
	pamlineRuns(t, 0, "keygen", "-o", at("my.key"))
	run(0, "sign", "--key", at("my.key"), "-o", at("signed"), "me")
	signed := readStore(t, at("signed"))
	for format, file := range map[string]string{"mem": "signed.mem", "mif": "signed.mif.json"} {
		pamlineRuns(t, 0, "convert", "--to", format, "-o", at(file), at("signed"))
		pamlineRuns(t, 0, "convert", "--to", "pam", "-o", at("from-"+format), at(file))
		pamlineRuns(t, 0, "verify", "--key", at("my.key.pub"), at("from-"+format))
		if got := readStore(t, at("from-"+format)); got["signature"] == nil || !reflect.DeepEqual(got, signed) {
			t.Errorf("%s: the store differs:\n%v\n%v", format, got, signed)
		}
	}
}

// A program that gives its records new ids with each export does not make two memories of one. Who
// has one of them erased has both erased, and a third export brings neither back.
func TestADocumentWithNewIDsMakesNoMemoryTwice(t *testing.T) {
	t.Parallel()
	run, at := formatHome(t)
	const document = `{"mif_version":"1.0","export":{"id":"exp_1","created_at":"2026-01-02T00:00:00Z","user_id":"me"},"memories":[{"id":"mem_aa","content":"Keeps bees.","type":"Observation","created_at":"2026-01-01T00:00:00Z"}]}`
	take := func(export, id, words string) string {
		t.Helper()
		name := at(export + ".mif.json")
		if err := os.WriteFile(name, []byte(strings.NewReplacer("exp_1", export, "mem_aa", id, "Keeps bees", words).Replace(document)), 0o600); err != nil {
			t.Fatal(err)
		}
		return run(0, "import", "--owner", "me", name)
	}
	take("exp_1", "mem_aa", "Keeps bees")
	take("exp_2", "mem_bb", "Keeps  bees")
	if out := run(0, "memories", "--status", "active"); strings.Count(out, "bees") != 1 {
		t.Errorf("%s", out)
	}
	says(t, run(0, "memories"), "mem_bb .*bees. \\(archived\\)")
	run(0, "erase", "--memory", "mem_aa", "--yes")
	says(t, take("exp_3", "mem_cc", "Keeps bees"), "1 conversation or record that was erased at your request")
	if out := run(0, "memories"); strings.Contains(out, "bees") {
		t.Errorf("%s", out)
	}
	run(0, "prune")
	if where, files, err := searchBytes(at("data/store/owners"), "bees"); err != nil || files == 0 || where != "" {
		t.Errorf("the words are left in %q of %d files: %v", where, files, err)
	}
}

func TestAnEarlierExportThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	run, at := formatHome(t)
	if err := os.WriteFile(at("talks.json"), []byte(encryptedTalks), 0o600); err != nil {
		t.Fatal(err)
	}
	run(0, "import", "--owner", "me", at("talks.json"))
	for _, since := range []string{"yesterday", "2026-13-45T99:00:00Z"} {
		run(1, "convert", "--to", "mem", "--since", since, "-o", at("out.mem"), "me")
		run(1, "export", "--since", since, "-o", at("out"), "--owner", "me")
	}
	run(2, "convert", "--to", "mem", "--since", at("talks.json"), "-o", at("out.mem"), "me")
	for _, name := range []string{"out", "out.mem"} {
		if _, err := os.Stat(at(name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}
