package erase_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/zap"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/check"
	"github.com/pamline/pamline/pipeline/edit"
	"github.com/pamline/pamline/pipeline/erase"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// kills is how many erasures are killed at a random write.
var kills = flag.Int("kills", 12, "erasures that are killed at a random write")

const owner = stagetest.Owner

// place is a word that stands nowhere but in one conversation, and in what was made of it.
func place(n int) string { return fmt.Sprintf("Qzv%dburg", n) }

// export is an archive of some conversations, each about its place.
func export(t testing.TB, turns int, ids ...int) []byte {
	t.Helper()
	type node = map[string]any
	var all []node
	for _, id := range ids {
		mapping, parent := node{}, any(nil)
		for k := range turns {
			name := fmt.Sprintf("m%d", k)
			role, text := "user", fmt.Sprintf("I live in %s and my cat is called Nala%d.", place(id), k)
			if k%2 == 1 {
				role, text = "assistant", "Ah, "+place(id)+"!"
			}
			mapping[name] = node{"id": name, "parent": parent, "children": []string{}, "message": node{"id": name, "author": node{"role": role}, "create_time": 1700000000 + 100*id + k,
				"content": node{"content_type": "text", "parts": []string{text}}, "metadata": node{"note": place(id)}}}
			if k > 0 {
				mapping[parent.(string)].(node)["children"] = []string{name}
			}
			parent = name
		}
		all = append(all, node{"conversation_id": fmt.Sprintf("c-%d", id), "title": "About " + place(id), "create_time": 1700000000 + 100*id, "update_time": 1700000000 + 100*id + turns,
			"mapping": mapping, "current_node": parent})
	}
	body, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("conversations.json")
	if err == nil {
		_, err = w.Write(body)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// archives are those of the seeded owner: a first one, one that has grown, and one with other
// conversations.
func archives(t testing.TB) [][]byte {
	return [][]byte{export(t, 2, 1, 2, 3), export(t, 4, 1, 2, 3), export(t, 2, 4, 5)}
}

// worker does the work of an erasure with the stages of a rig.
type worker struct{ *stagetest.Rig }

func (w worker) Ask(ctx context.Context, ref job.Ref, want job.Want) (job.Asked, error) {
	return w.Jobs.Ask(ctx, ref, want)
}

func (w worker) Replace(ctx context.Context, ref job.Ref, id string, past []string) (job.Asked, error) {
	return w.Jobs.Replace(ctx, ref, id, past)
}

func (w worker) Wait(ctx context.Context, ref job.Ref, gen int) (job.Record, error) {
	r, _, err := w.Finish(ctx, ref, gen)
	return r, err
}

func (w worker) Redrive(ctx context.Context, ref job.Ref) (job.Asked, error) {
	return w.Jobs.Redrive(ctx, ref)
}

// seeded gives a rig with the stores of two owners.
func seeded(t testing.TB) *stagetest.Rig {
	t.Helper()
	r := stagetest.New(t)
	r.Publish.Formats = []publish.Format{stagetest.Format(".mem.zip")}
	r.Ingest.Finder = r.Extraction.Finder // so that known elements have what was found in them
	for _, name := range []string{owner, "ann"} {
		r.Owner = name
		for _, a := range archives(t) {
			importArchive(t, r, a)
		}
	}
	r.Owner = owner
	r = r.Damaged(r.Data)
	for _, e := range []assemble.Edit{
		{Action: assemble.EditConfirm, Memory: memoryOf(t, r, 1)},
		{Action: assemble.EditReplace, Memory: memoryOf(t, r, 4), Content: "Lives near " + place(4) + "."},
		{Action: assemble.EditAdd, Type: "fact", Content: "Plays the oboe."},
	} {
		e.ID, e.At = "e-"+e.Action, "2026-02-01T00:00:00Z"
		if _, err := edit.Apply(t.Context(), r.Store(), worker{r}, owner, e); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func importArchive(t testing.TB, r *stagetest.Rig, archive []byte) job.Record {
	t.Helper()
	rec, _, err := r.Import(t.Context(), r.PutDrop(t, archive))
	if fault.Of(err) == fault.Permanent && err != nil {
		return rec // nothing is left of it that is not erased
	}
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// memoryOf gives the memory of a place.
func memoryOf(t testing.TB, r *stagetest.Rig, n int) string {
	t.Helper()
	for m, err := range publish.ExportMemories(t.Context(), r.Store(), owner, r.Head(t)) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(m.Raw), place(n)) {
			return m.Id
		}
	}
	t.Fatalf("no memory tells of %s", place(n))
	return ""
}

// forms are the forms of a word that a scan looks for.
func forms(word string) []string {
	out := []string{word}
	for shift := range 3 { // base64 of a text in which it stands anywhere
		padded := strings.Repeat(" ", shift) + word
		encoded := base64.RawStdEncoding.EncodeToString([]byte(padded))
		out = append(out, encoded[(shift*8+5)/6:len(encoded)-2])
	}
	var escaped strings.Builder
	for _, c := range word {
		fmt.Fprintf(&escaped, `\u%04x`, c)
	}
	return append(out, escaped.String())
}

// holders gives the objects that have a word in any form, compressed ones included.
func holders(t testing.TB, s *statetest.Store, prefix, word string) (keys []string) {
	t.Helper()
	has := func(text []byte) bool {
		for _, form := range forms(word) {
			if bytes.Contains(text, []byte(form)) {
				return true
			}
		}
		return false
	}
	for _, key := range s.Keys(prefix) {
		body, _ := s.Body(key)
		found := has([]byte(key)) || has([]byte(body))
		for _, text := range expanded(t, s, key, []byte(body)) {
			found = found || has(text)
		}
		if found {
			keys = append(keys, key)
		}
	}
	return keys
}

// expanded gives what is compressed in an object.
func expanded(t testing.TB, s *statetest.Store, key string, body []byte) (texts [][]byte) {
	t.Helper()
	z, err := zstd.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if text, err := io.ReadAll(z); err == nil {
		texts = append(texts, text)
	}
	if a, err := zip.NewReader(bytes.NewReader(body), int64(len(body))); err == nil {
		for _, f := range a.File {
			rc, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(rc)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
		}
	}
	if !strings.HasSuffix(key, ".s2") {
		return texts
	}
	lists := 0
	for _, list := range s.Keys(key[:strings.LastIndex(key, "/")+1]) {
		if !strings.HasSuffix(list, ".jsonl") {
			continue
		}
		l, err := state.OpenPackList(t.Context(), stagetest.Seal(s), list)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(key, l.Pack) {
			continue
		}
		lists++
		for line, err := range l.Lines {
			if err != nil {
				t.Fatal(err)
			}
			text, err := state.UnpackFrame(nil, body[line.Offset:line.Offset+line.Length], line.Size)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
		}
	}
	if lists == 0 {
		t.Errorf("no list names the pack %s", key)
	}
	return texts
}

func optionsOn(r *stagetest.Rig) erase.Options {
	return erase.Options{Store: r.Store(), Worker: worker{r}, NewID: r.Publish.NewID, Now: func() time.Time { return time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC) }}
}

// level is an erasure with the places that it must reach, and those that stay.
type level struct {
	name   string
	target func(testing.TB, *stagetest.Rig) erase.Target
	gone   []int
	stays  []int
}

func levels() []level {
	return []level{
		{"memory", func(t testing.TB, r *stagetest.Rig) erase.Target {
			return erase.Target{Level: erase.LevelMemory, ID: memoryOf(t, r, 1)}
		}, []int{1}, []int{2, 3, 4, 5}},
		{"conversation", func(t testing.TB, r *stagetest.Rig) erase.Target {
			return erase.Target{Level: erase.LevelConversation, ID: conversationOf(t, r, 4)}
		}, []int{4}, []int{1, 2, 3, 5}},
		{"drop", func(t testing.TB, r *stagetest.Rig) erase.Target {
			return erase.Target{Level: erase.LevelDrop, ID: r.PutDrop(t, archives(t)[2])}
		}, []int{4, 5}, []int{1, 2, 3}},
		{"owner", func(testing.TB, *stagetest.Rig) erase.Target { return erase.Target{Level: erase.LevelOwner} }, []int{1, 2, 3, 4, 5}, nil},
	}
}

func conversationOf(t testing.TB, r *stagetest.Rig, n int) string {
	t.Helper()
	for _, key := range r.Data.Keys(state.OwnerKey(owner, "conversations/")) {
		if body, _ := r.Data.Body(key); strings.Contains(body, place(n)) {
			name := key[strings.LastIndex(key, "/")+1:]
			return name[:strings.Index(name, ".")]
		}
	}
	t.Fatalf("no conversation is about %s", place(n))
	return ""
}

// checkForgotten fails the test if anything of the owner has what was erased, if something else has
// gone, or if the other owner was touched.
func checkForgotten(t testing.TB, before, after *statetest.Store, l level, prefixes ...string) {
	t.Helper()
	if len(prefixes) == 0 {
		prefixes = []string{""}
	}
	for _, n := range l.gone {
		for _, prefix := range prefixes {
			for _, key := range holders(t, after, prefix, place(n)) {
				if !strings.Contains(key, "/ann/") {
					t.Errorf("%s: %s is in %s", l.name, place(n), key)
				}
			}
		}
	}
	for _, n := range l.stays {
		if len(holders(t, after, state.OwnerKey(owner, "conversations/"), place(n))) == 0 {
			t.Errorf("%s: %s has gone, too", l.name, place(n))
		}
	}
	for _, key := range before.Keys("") {
		body, _ := before.Body(key)
		if now, ok := after.Body(key); strings.Contains(key, "/ann/") && (!ok || now != body) {
			t.Errorf("%s: %s was changed", l.name, key)
		}
	}
}

func checkSound(t testing.TB, r *stagetest.Rig) {
	t.Helper()
	report, err := check.CheckOwner(t.Context(), check.Options{Store: stagetest.Seal(r.Data), Log: zap.NewNop()}, owner)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range report.Damage {
		t.Errorf("%s: %s", d.Object, d.Problem)
	}
}

func TestWhatIsErasedIsNowhereAndDoesNotComeBack(t *testing.T) {
	t.Parallel()
	base := seeded(t)
	for _, l := range levels() {
		t.Run(l.name, func(t *testing.T) {
			r := base.Damaged(base.Data.Clone())
			target := l.target(t, r)
			before := r.Data.Clone()
			preview, err := erase.Find(t.Context(), optionsOn(r), owner, target)
			if err != nil || r.Data.Sum() != before.Sum() {
				t.Fatalf("a preview has changed the store, or failed: %v", err)
			}
			if preview.Archives == 0 {
				t.Errorf("%+v", preview)
			}
			if _, err := erase.Run(t.Context(), optionsOn(r), owner, target); err != nil {
				t.Fatal(err)
			}
			checkForgotten(t, before, r.Data, l)
			checkSound(t, r)
			for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}} {
				again := r.Damaged(r.Data.Clone())
				for _, n := range order {
					importArchive(t, again, archives(t)[n])
				}
				checkForgotten(t, before, again.Data, l, "owners/", "failed/", "drops/")
				checkSound(t, again)
			}
		})
	}
}

// An erasure is killed, once or twice, and called again.
func TestAKilledErasureIsFinishedByTheNextCall(t *testing.T) {
	t.Parallel()
	base := seeded(t)
	for seed := range *kills {
		random := rand.New(rand.NewPCG(uint64(seed), 5))
		l := levels()[seed%len(levels())]
		r := base.Damaged(base.Data.Clone())
		target := l.target(t, r)
		before := r.Data.Clone()
		for range 1 + random.IntN(2) {
			c, reached := r.Crash(random.IntN(120))
			c = c.Damaged(r.Data).On(crashing(c))
			_, err := erase.Run(t.Context(), optionsOn(c), owner, target)
			if reached() && !errors.Is(err, statetest.ErrCrashed) {
				t.Fatalf("seed %d: %v", seed, err)
			}
			r.Data.Advance(time.Minute)
		}
		if _, err := erase.Run(t.Context(), optionsOn(r), owner, target); err != nil && !errors.Is(err, erase.ErrUnknown) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		checkForgotten(t, before, r.Data, l)
		checkSound(t, r)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func crashing(r *stagetest.Rig) blob.Store { return r.Store() }
