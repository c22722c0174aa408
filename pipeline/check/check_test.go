package check_test

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/check"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

func optionsOf(r *stagetest.Rig) check.Options {
	return check.Options{Store: r.Store(), Parallel: 2, Ingest: r.Ingest, Extraction: r.Extraction, Publish: r.Publish}
}

func checked(t *testing.T, r *stagetest.Rig) check.Report {
	t.Helper()
	report, err := check.CheckOwner(t.Context(), optionsOf(r), r.Owner)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func repaired(t *testing.T, r *stagetest.Rig) check.Report {
	t.Helper()
	report, err := check.RepairOwner(t.Context(), optionsOf(r), r.Owner)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func damageObject(t *testing.T, data *statetest.Store, key string, changed *string) {
	t.Helper()
	var err error
	if changed == nil {
		err = data.Delete(t.Context(), key)
	} else {
		_, err = data.Put(t.Context(), key, strings.NewReader(*changed), blob.PutOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestASoundStoreHasNoDamage(t *testing.T) {
	h := stagetest.NewHistory(t, "me", "hens", false)
	report := checked(t, h.Rig)
	if len(report.Damage) > 0 || report.Objects < 40 || report.Bytes == 0 {
		t.Errorf("%+v", report)
	}
}

// underivable are the kinds of objects that nothing else gives.
var underivable = map[string]bool{
	"owners/<owner>/edits/*.json":      true,
	"inbox/<owner>/*/part-*":           true,
	"owners/<owner>/receipts/*/*.json": true, // of earlier generations
}

// answered are those that hold what a service has answered.
var answered = regexp.MustCompile(`/(candidates|vectors)/`)

// unneeded are the kinds whose objects may be missing.
var unneeded = []string{"/moments/", ".change.json", "/heads/", "/spent.json", "/cache.zst", "/known/", "drops/"}

// Whatever object is damaged, and however: the check names it, and a repair makes the store again
// that was there before, or says what is left.
func TestEachDamageIsFoundAndRepairedIfOtherObjectsGiveTheLostOne(t *testing.T) {
	for _, vectors := range []bool{true, false} {
		if testing.Short() && !vectors {
			continue // the same code, over other objects
		}
		h, other := stagetest.NewHistory(t, "me", "hens", vectors), stagetest.NewHistory(t, "bob", "goats", vectors)
		t.Run(fmt.Sprint("vectors ", vectors), func(t *testing.T) { checkKinds(t, h, other, vectors) })
	}
}

func checkKinds(t *testing.T, h, other *stagetest.History, vectors bool) {
	byKind := map[string][]string{}
	for _, key := range h.Data.Keys("") {
		kind := stagetest.KindOf(key, h.Owner)
		byKind[kind] = append(byKind[kind], key)
	}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		if vectors && !answered.MatchString(kind) && !strings.Contains(kind, "embeddings") {
			continue
		}
		t.Run(strings.ReplaceAll(kind, "/", " "), func(t *testing.T) {
			t.Parallel()
			keys := byKind[kind]
			chosen := slices.Compact([]string{keys[0], keys[len(keys)-1]})
			if testing.Short() {
				chosen = chosen[:1]
			}
			for _, key := range chosen {
				body, _ := h.Data.Body(key)
				for what, changed := range stagetest.Damages(h, other, key, body) {
					data := h.Data.Clone()
					damageObject(t, data, key, changed)
					checkDamage(t, h, h.Damaged(data), underivable[kind] || vectors && answered.MatchString(kind), key, what)
				}
			}
		})
	}
}

func checkDamage(t *testing.T, h *stagetest.History, r *stagetest.Rig, lost bool, key, what string) {
	t.Helper()
	found := checked(t, r)
	if len(found.Damage) == 0 {
		if what == "removed" && slices.ContainsFunc(unneeded, func(part string) bool { return strings.Contains(key, part) }) {
			return
		}
		t.Errorf("%s, %s: no damage was found", key, what)
		return
	}
	if !slices.ContainsFunc(found.Damage, func(d check.Damage) bool { return d.Object == key }) {
		t.Errorf("%s, %s: not named in %+v", key, what, found.Damage)
	}
	for _, d := range found.Damage {
		if d.Problem == "" || d.Consequence == "" || d.Advice == "" {
			t.Errorf("%s, %s: %+v", key, what, d)
		}
	}
	report := repaired(t, r)
	if report.Left() > 0 {
		if !lost {
			t.Errorf("%s, %s: not repaired: %s", key, what, briefly(report))
		}
		return
	}
	if again := checked(t, r); len(again.Damage) > 0 {
		t.Errorf("%s, %s: after the repair: %+v", key, what, again.Damage)
	}
	head := r.Head(t)
	if !reflect.DeepEqual(head, h.Head(t)) {
		t.Errorf("%s, %s: the repair has changed the head", key, what)
	}
	if err := publish.VerifyStore(t.Context(), r.Publish, r.Owner, head); err != nil {
		t.Errorf("%s, %s: after the repair: %v", key, what, err)
	}
}

func briefly(r check.Report) (text string) {
	for _, d := range r.Damage {
		text += fmt.Sprintf("\n  %s: %s; repaired %v; %s", d.Object, d.Problem, d.Repaired, d.Advice)
	}
	return text
}

func TestDamageOfManyObjectsIsRepairedFromTheArchives(t *testing.T) {
	h := stagetest.NewHistory(t, "me", "hens", false)
	want := map[string]string{}
	data := h.Data.Clone()
	for _, key := range h.Data.Keys("owners/me/") {
		for _, part := range []string{"/snapshots/", "/candidates/", "/conversations/", "/assets/", "/exports/", "/head.json", "/memory-store.json"} {
			if strings.Contains(key, part) && !strings.HasSuffix(key, ".change.json") {
				want[key], _ = h.Data.Body(key)
			}
		}
	}
	for key := range want {
		damageObject(t, data, key, nil)
	}
	r := h.Damaged(data)
	if report := repaired(t, r); report.Left() > 0 {
		t.Errorf("%d are left: %s", report.Left(), briefly(report))
	}
	for key, body := range want {
		if now, ok := data.Body(key); !ok || now != body && !strings.HasSuffix(key, ".fold.zst") {
			t.Errorf("%s is another object now", key)
		}
	}
}

func TestAnInputSetIsRepairedWithTheResultsThatItNames(t *testing.T) {
	h := stagetest.NewHistory(t, "me", "hens", false)
	data := h.Data.Clone()
	for _, key := range data.Keys("owners/me/") {
		if strings.Contains(key, "/candidates/") || strings.Contains(key, h.Head(t).Inputs+".json") {
			damageObject(t, data, key, nil)
		}
	}
	r := h.Damaged(data)
	if report := repaired(t, r); report.Left() > 0 || len(report.Damage) < 3 {
		t.Error(briefly(report))
	}
	r.Verify(t)
}

func TestDamageIsReportedWithTheConversationsThatNeedIt(t *testing.T) {
	h := stagetest.NewHistory(t, "me", "hens", false)
	data := h.Data.Clone()
	pack := slices.DeleteFunc(data.Keys("owners/me/imports/"), func(key string) bool { return !strings.HasSuffix(key, ".s2") })[0]
	damageObject(t, data, pack, nil)
	report := checked(t, h.Damaged(data))
	if len(report.Damage) != 1 || len(report.Damage[0].Conversations) == 0 || !strings.Contains(report.Damage[0].Consequence, "conversations") {
		t.Errorf("%+v", report.Damage)
	}
}

func TestAnArchiveThatIsGoneIsDamageThatIsLeft(t *testing.T) {
	h := stagetest.NewHistory(t, "me", "hens", false)
	data := h.Data.Clone()
	for _, key := range data.Keys("inbox/me/" + h.Drops[0]) {
		damageObject(t, data, key, nil)
	}
	list := state.PackListKey("me", slices.Collect(maps.Keys(importsOf(t, h)))[0], 0)
	damageObject(t, data, list, new(string))
	report := repaired(t, h.Damaged(data))
	if report.Left() == 0 {
		t.Error("the archive was made again")
	}
	for _, d := range report.Damage {
		if d.Advice == "" && !d.Repaired {
			t.Errorf("no advice: %+v", d)
		}
	}
}

func importsOf(t *testing.T, h *stagetest.History) map[string]bool {
	t.Helper()
	in, err := state.ReadInputs(t.Context(), h.Store(), h.Owner, h.Head(t))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]bool{in.Drops[h.Drops[0]].Import: true}
}

func TestDamagedLeftoversThatNothingNamesAreRemoved(t *testing.T) {
	h := stagetest.NewHistory(t, "me", "hens", false)
	data := h.Data.Clone()
	body := "{"
	left := []string{state.PackListKey("me", strings.Repeat("0", 32), 0), state.OwnerKey("me", "conversations/x.0123456789abcdef.json")}
	for _, key := range left {
		damageObject(t, data, key, &body)
	}
	r := h.Damaged(data)
	if report := checked(t, r); len(report.Damage) != 2 {
		t.Error(briefly(report))
	}
	if report := repaired(t, r); report.Left() > 0 {
		t.Error(briefly(report))
	}
	for _, key := range left {
		if _, ok := data.Body(key); ok {
			t.Errorf("%s is still there", key)
		}
	}
}

func TestOwnersAreFoundWhoHaveUploadsOnly(t *testing.T) {
	s := statetest.New()
	for i, key := range []string{"inbox/ann/x.zip", "owners/bob/head.json", "failed/cleo/x", "drops/_/x.json"} {
		body := fmt.Sprint(i)
		damageObject(t, s, key, &body)
	}
	owners, err := check.ListOwners(t.Context(), s)
	if err != nil || !slices.Equal(owners, []string{"ann", "bob", "cleo"}) {
		t.Errorf("%v, %v", owners, err)
	}
}

// The log of heads stands in for head.json: its newest entry has to be there, also if it is the
// only one.
func TestTheMissingEntryOfTheCurrentHeadIsFoundAndRepaired(t *testing.T) {
	h := stagetest.NewHistory(t, "me", "hens", false)
	for only, removed := range map[bool]string{false: "the newest", true: "all"} {
		data := h.Data.Clone()
		keys := data.Keys(state.OwnerKey(h.Owner, "heads/"))
		last := keys[len(keys)-1]
		for _, key := range keys {
			if only || key == last {
				damageObject(t, data, key, nil)
			}
		}
		r := h.Damaged(data)
		if found := checked(t, r); !slices.ContainsFunc(found.Damage, func(d check.Damage) bool { return d.Object == last }) {
			t.Errorf("%s: %s is not named in %+v", removed, last, found.Damage)
		}
		repaired(t, r)
		if left := checked(t, r); len(left.Damage) > 0 {
			t.Errorf("%s: left %+v", removed, left.Damage)
		}
	}
}
