package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/objects"
)

// forgets is how many erasures of a data folder are killed, of each kind of store. With more than
// usualForgets there is one at each level in a cluster, too, else at every second level.
var forgets = flag.Int("forgets", usualForgets, "erasures of a data folder that are killed at a random time")

const usualForgets = 4

// person is a home with a data folder, and what is dropped into it.
type person struct {
	testing.TB
	home string
	sets []string
}

// talksAbout is a ChatGPT export of conversations, each about its place.
func talksAbout(mark string, turns int, ids ...int) string {
	var all []string
	for _, id := range ids {
		place := fmt.Sprintf("Q%s%dburg", mark, id)
		var nodes []string
		for k := range turns {
			role, text := "user", fmt.Sprintf("I live in %s and my cat is called Nala%d. I keep %s.", place, k, place)
			if k%2 == 1 {
				role, text = "assistant", "Ah, "+place+"!"
			}
			parent, child := "null", ""
			if k > 0 {
				parent = fmt.Sprintf(`"m%d"`, k-1)
			}
			if k < turns-1 {
				child = fmt.Sprintf(`"m%d"`, k+1)
			}
			nodes = append(nodes, fmt.Sprintf(`"m%d":{"id":"m%d","parent":%s,"children":[%s],"message":{"id":"m%d","author":{"role":%q},"create_time":%d,"content":{"content_type":"text","parts":[%q]},"metadata":{"note":%q}}}`,
				k, k, parent, child, k, role, 1700000000+100*id+k, text, place))
		}
		all = append(all, fmt.Sprintf(`{"conversation_id":"c-%d","title":"About %s","create_time":%d,"update_time":%d,"mapping":{%s},"current_node":"m%d"}`,
			id, place, 1700000000+100*id, 1700000000+100*id+turns, strings.Join(nodes, ","), turns-1))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// files are the archives of a person: a first one, one that has grown, one with other
// conversations, one with a torn conversation, one of memories, and one that nobody can read.
func files(mark string) map[string]string {
	return map[string]string{
		"a.json": talksAbout(mark, 2, 1, 2, 3), "b.json": talksAbout(mark, 4, 1, 2, 3), "c-Q" + mark + "4burg.json": talksAbout(mark, 2, 4, 5),
		"d.json": strings.TrimSuffix(talksAbout(mark, 2, 4), "]") + `,{"conversation_id":"c-4","title":"About Q` + mark + `4burg" "mapping":{}}]`,
	}
}

// newPerson imports the archives of two owners, one after the other, and does with them what people
// do.
func newPerson(t testing.TB, encrypted bool) *person {
	t.Helper()
	p := newHome(t, "--set", fmt.Sprint("encryption.new=", encrypted))
	for owner, mark := range map[string]string{"me": "zv", "ann": "xk"} {
		p.writeFiles(owner, mark)
		for _, name := range fileNames(mark) {
			p.run(owner, "import", p.path("files", owner+"-"+name))
		}
		p.replay(owner)
		p.run(owner, "search", "Q"+mark+"1burg")
	}
	return p
}

// newHome gives an empty home for commands that ask a model, keep vectors, and publish in all
// formats.
func newHome(t testing.TB, sets ...string) *person {
	t.Helper()
	m := newModel(t)
	p := &person{TB: t, home: t.TempDir(), sets: append([]string{"--set", "log.level=debug", "--set", "prune.every=0", "--set", "publish.formats=mem,mif",
		"--set", "llm.model=m", "--set", "llm.url=" + m.URL + "/v1", "--set", "embeddings.model=v", "--set", "embeddings.url=" + m.URL + "/v1"}, sets...)}
	for _, name := range []string{"files", "tmp", "logs", "cache", "config"} {
		if err := os.Mkdir(p.path(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// fileNames are the names of files, in the order in which they came.
func fileNames(mark string) []string {
	return []string{"a.json", "b.json", "c-Q" + mark + "4burg.json", "d.json"}
}

func (p *person) writeFiles(owner, mark string) {
	p.Helper()
	for name, text := range files(mark) {
		if err := os.WriteFile(p.path("files", owner+"-"+name), []byte(text), 0o600); err != nil {
			p.Fatal(err)
		}
	}
}

// replay reads everything of an owner without a model, and then again with the answers that were
// recorded.
func (p *person) replay(owner string) {
	p.Helper()
	p.run(owner, "replay", "--owner", owner, "--extractors", "rules")
	p.run(owner, "replay", "--owner", owner, "--extractors", "harvest,rules,llm")
}

func (p *person) path(names ...string) string {
	return filepath.Join(append([]string{p.home}, names...)...)
}

// command is one with everything that it writes below the home, its log included.
func (p *person) command(owner string, args ...string) *exec.Cmd {
	all := append([]string{args[0], "--data", p.path("data")}, p.sets...)
	if args[0] != "replay" {
		all = append(all, "--owner", owner)
	}
	if args[0] == "import" {
		all = append(all, "--extractors", "harvest,rules,llm")
	}
	c := exec.Command("pamline", append(all, args[1:]...)...)
	c.Env = append(os.Environ(), "HOME="+p.home, "TMPDIR="+p.path("tmp"), "XDG_CONFIG_HOME="+p.path("config"), "XDG_CACHE_HOME="+p.path("cache"), "XDG_DATA_HOME="+p.path("cache"))
	return c
}

// run runs a command that ends well, or with losses, and keeps its log.
func (p *person) run(owner string, args ...string) string {
	p.Helper()
	c := p.command(owner, args...)
	var out, log bytes.Buffer
	c.Stdout, c.Stderr = &out, &log
	if err := c.Run(); err != nil && c.ProcessState.ExitCode() != 3 {
		p.Fatalf("%q: %v\n%s%s", args, err, out.String(), log.String())
	}
	p.keepLog(log.String())
	return out.String()
}

// keepLog keeps the lines of the log: what a command says to the person is no log.
func (p *person) keepLog(text string) {
	p.Helper()
	f, err := os.OpenFile(p.path("logs", "all"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		p.Fatal(err)
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "{") || strings.Contains(line, "\tdebug\t") || strings.Contains(line, "\tinfo\t") || strings.Contains(line, "DEBUG") || strings.Contains(line, "INFO") {
			_, err = f.WriteString(line)
		}
	}
	if err = errors.Join(err, f.Close()); err != nil {
		p.Fatal(err)
	}
}

// copied gives the same person in another home.
func (p *person) copied(t testing.TB) *person {
	t.Helper()
	c := *p
	c.TB, c.home = t, t.TempDir()
	if out, err := exec.Command("cp", "-a", p.home+"/.", c.home).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return &c
}

// idOf finds the id of what is about a place in the list of a command.
func (p *person) idOf(owner, place, command, field string) string {
	p.Helper()
	var all any
	text := p.run(owner, command, "--limit", "0", "--format", "json")
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		p.Fatal(err)
	}
	var find func(v any) string
	find = func(v any) string {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				if id := find(one); id != "" {
					return id
				}
			}
		case map[string]any:
			body, err := json.Marshal(v)
			if id, ok := v[field].(string); ok && err == nil && strings.Contains(string(body), place) {
				return id
			}
			for _, one := range v {
				if id := find(one); id != "" {
					return id
				}
			}
		}
		return ""
	}
	id := find(all)
	if id == "" {
		p.Fatalf("%s lists nothing of %s: %s", command, place, text)
	}
	return id
}

// ofAnn are the digests of everything of the other owner.
func (p *person) ofAnn() map[string]string {
	p.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(p.path("data", "store"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, "/ann/") {
			return err
		}
		body, err := os.ReadFile(path)
		all[path[len(p.home):]] = objects.Digest(string(body))
		return err
	})
	if err != nil || len(all) == 0 {
		p.Fatal(err, len(all))
	}
	return all
}

// forgetting is an erasure with the places that must be gone, and those that must be there.
type forgetting struct {
	name string
	args func(p *person, owner, mark string) []string
	gone []int
	kept []int
}

var forgettings = []forgetting{
	{"conversation", func(p *person, owner, mark string) []string {
		return []string{"--conversation", p.idOf(owner, "Q"+mark+"4burg", "conversations", "id")}
	}, []int{4}, []int{1, 2, 3, 5}},
	{"memory", func(p *person, owner, mark string) []string {
		return []string{"--memory", p.idOf(owner, "Q"+mark+"1burg", "memories", "id")}
	}, []int{1}, []int{2, 3, 4, 5}},
	{"owner", func(*person, string, string) []string { return nil }, []int{1, 2, 3, 4, 5}, nil},
	{"drop", func(p *person, owner, mark string) []string {
		return []string{"--drop", p.idOf(owner, "c-Q"+mark+"4burg.json", "imports", "drop")}
	}, []int{5}, []int{1, 2, 3, 4}},
}

// scan looks through everything below the home but the person's own files.
func (p *person) scan(f forgetting, when string) {
	p.Helper()
	if err := os.RemoveAll(p.path("files")); err != nil {
		p.Fatal(err)
	}
	for _, n := range f.gone {
		if found := filesWith(p, p.home, fmt.Sprintf("qzv%dburg", n)); len(found) > 0 {
			p.Errorf("%s, %s: %d is in %q", f.name, when, n, found)
		}
	}
	if len(f.kept) == 0 {
		return
	}
	store := p.run("me", "memories", "--limit", "0")
	for _, n := range f.kept {
		if !strings.Contains(store, fmt.Sprintf("Qzv%dburg", n)) {
			p.Errorf("%s, %s: %d has gone, too: %s", f.name, when, n, store)
		}
	}
}

// plain gives the person with a store that is not encrypted any more, so that a scan sees its
// texts.
func (p *person) plain() *person {
	p.Helper()
	c := p.copied(p.TB)
	cmd := c.command("me", "key")
	cmd.Args = append([]string{"pamline", "key", "convert", "--to", "plain", "--data", c.path("data")}, c.sets...)
	if out, err := cmd.CombinedOutput(); err != nil {
		p.Fatalf("%v: %s", err, out)
	}
	return c
}

// An erasure by a command, by HTTP or by the form of the page is killed at any time, and called
// again. Then nothing below the home has what was erased: store, search indexes, scratch, logs,
// temporary files, settings. An import of the old archives, in any order, brings nothing back.
func TestNothingOfWhatIsForgottenIsInAnyFile(t *testing.T) {
	if testing.Short() {
		t.Skip("short: its work is that of other processes")
	}
	t.Parallel()
	for _, encrypted := range []bool{false, true} {
		base := newPerson(t, encrypted)
		if found := filesWith(t, base.home, "qzv4burg"); !encrypted && len(found) < 10 {
			t.Fatalf("before the erasure only %q have the word: the scan can find nothing", found)
		}
		for n := range *forgets {
			f, route := forgettings[n%len(forgettings)], routes[n%len(routes)]
			t.Run(fmt.Sprintf("%s by %s %d encrypted %t", f.name, route.name, n, encrypted), func(t *testing.T) {
				random := rand.New(rand.NewPCG(uint64(n), 3))
				p := base.copied(t)
				level, id := "owner", ""
				if args := f.args(p, "me", "zv"); len(args) == 2 {
					level, id = strings.TrimPrefix(args[0], "--"), args[1]
				}
				ann := p.ofAnn()
				for range random.IntN(3) {
					_, kill := route.erase(p, level, id)
					time.Sleep(time.Duration(random.IntN(1500)) * time.Millisecond)
					kill()
				}
				wait, _ := route.erase(p, level, id)
				wait()
				files := p.copied(t)
				p.scan(f, "after the erasure")
				for key, digest := range p.ofAnn() {
					if ann[key] != digest {
						t.Errorf("%s was changed", key)
					}
				}
				if encrypted {
					p.plain().scan(f, "decrypted after the erasure")
				}
				names := fileNames("zv")
				random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
				for _, name := range names {
					cmd := files.command("me", "import", files.path("files", "me-"+name))
					if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 3 && cmd.ProcessState.ExitCode() != 1 {
						t.Fatalf("%v: %s", err, out)
					}
				}
				if encrypted {
					files = files.plain()
				}
				files.scan(f, fmt.Sprint("after an import of ", names))
			})
		}
	}
}
