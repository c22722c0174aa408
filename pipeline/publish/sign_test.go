package publish_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pamio/signature"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

func newKey(t *testing.T, a keys.Algorithm) keys.Private {
	t.Helper()
	key, err := keys.Generate(a)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func signedBy(key keys.Private) func(string) (keys.Private, error) {
	return func(string) (keys.Private, error) { return key, nil }
}

// verdict is that on the current store.
func verdict(t *testing.T, r *stagetest.Rig, trusted keys.Private) signature.Result {
	t.Helper()
	body, ok := r.Data.Body(state.ExportKey(owner, r.Head(t).ExportID, ".json"))
	if !ok {
		t.Fatal("there is no export")
	}
	res, _, err := signature.CheckStore(pamio.Source{
		Name: "store", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(body)), nil },
	}, pamio.Limits{}, trusted.Public())
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestWhatIsPublishedIsSigned(t *testing.T) {
	for _, a := range keys.Algorithms() {
		if strings.HasPrefix(string(a), "RS") {
			continue // their keys take seconds to make
		}
		t.Run(string(a), func(t *testing.T) {
			r := stagetest.New(t)
			key := newKey(t, a)
			r.Publish.KeyOf = signedBy(key)
			imported(t, r, r.PutDrop(t, stagetest.TalksZip(t, 2)))
			if res := verdict(t, r, key); res.Verdict != signature.Trusted {
				t.Errorf("%v: %v", res.Verdict, res.Problems)
			}
		})
	}
}

// The signature belongs to the recorded moment of publishing: another process publishes the same
// bytes.
func TestACrashAtAnyWriteOfASignedImportPublishesWhatWasSigned(t *testing.T) {
	key := newKey(t, keys.ES256)
	fresh := func() (*stagetest.Rig, string) {
		r := stagetest.New(t)
		r.Publish.KeyOf = signedBy(key)
		return r, r.PutDrop(t, stagetest.TalksZip(t, 2))
	}
	for n := 0; ; n += statetest.Stride(5) {
		r, drop := fresh()
		c, reached := r.Crash(n)
		if _, _, err := c.Import(t.Context(), drop); reached() && !errors.Is(err, statetest.ErrCrashed) {
			t.Fatalf("crash at write %d: %v", n, err)
		}
		recorded := map[string]string{}
		for _, folder := range []string{"moments/", "exports/"} {
			for _, key := range r.Data.Keys(state.OwnerKey(owner, folder)) {
				recorded[key], _ = r.Data.Body(key)
			}
		}
		finishCrashed(t, r, drop, n)
		if res := verdict(t, r, key); res.Verdict != signature.Trusted {
			t.Errorf("after a crash at write %d: %v", n, res.Problems)
		}
		for key, body := range recorded {
			if after, _ := r.Data.Body(key); after != body {
				t.Errorf("after a crash at write %d, %s changed", n, key)
			}
		}
		r.Verify(t)
		if !reached() {
			return
		}
	}
}

func TestANewKeySignsAgain(t *testing.T) {
	r := stagetest.New(t)
	imported(t, r, r.PutDrop(t, stagetest.TalksZip(t, 2)))
	if res := verdict(t, r, newKey(t, keys.Ed25519)); res.Verdict != signature.Absent {
		t.Fatal(res)
	}
	unsigned, content := r.Head(t).ExportID, exportOf(t, r)
	for range 2 { // a first key, and a rotated one
		key := newKey(t, keys.Ed25519)
		r.Publish.KeyOf = signedBy(key)
		before := r.Head(t).ExportID
		compute(t, r, inputsOf(t, r))
		if res := verdict(t, r, key); res.Verdict != signature.Trusted || r.Head(t).ExportID == before {
			t.Errorf("%+v", res)
		}
		signed := r.Head(t).ExportID
		if compute(t, r, inputsOf(t, r)); r.Head(t).ExportID != signed {
			t.Error("the same key signed the same twice")
		}
	}
	r.Publish.KeyOf = nil // a process without a key leaves the signature alone
	signed := r.Head(t)
	if compute(t, r, inputsOf(t, r)); r.Head(t).Signer != signed.Signer || r.Head(t).ExportID != signed.ExportID || signed.ExportID == unsigned {
		t.Errorf("%+v", r.Head(t))
	}
	if !strings.HasPrefix(exportOf(t, r), content[:strings.Index(content, `"integrity"`)]) {
		t.Error("the content changed")
	}
}

func TestAKeyThatCannotBeReadPublishesNothing(t *testing.T) {
	r := stagetest.New(t)
	r.Publish.KeyOf = func(string) (keys.Private, error) { return keys.Private{}, errors.New("no such file") }
	ready(t, r, r.PutDrop(t, stagetest.TalksZip(t, 2)))
	_, _, err := publish.Compute(t.Context(), r.Publish, publish.Round{Owner: owner, Inputs: state.Inputs{}, Digest: strings.Repeat("0", 64)})
	if fault.Of(err) != fault.Outage {
		t.Errorf("%v", err)
	}
}

// What a store says of its owner belongs to the moment of publishing, like the signature.
func TestAnIdentityIsPublishedAndVerified(t *testing.T) {
	r := stagetest.New(t)
	imported(t, r, r.PutDrop(t, stagetest.TalksZip(t, 2)))
	before := r.Head(t).ExportID
	ann := state.Identity{DID: "did:web:example.org", CreatedAt: "2020-02-02T00:00:00Z", TypeRegistry: "https://example.org/types"}
	r.Publish.IdentityOf = func(string) state.Identity { return ann }
	for range 2 {
		compute(t, r, inputsOf(t, r))
		if err := publish.VerifyStore(t.Context(), r.Publish, owner, r.Head(t)); err != nil {
			t.Error(err)
		}
		export := exportOf(t, r)
		if !strings.Contains(export, `"did":"did:web:example.org","created_at":"2020-02-02T00:00:00Z"}`) || !strings.Contains(export, `"type_registry":"https://example.org/types"`) {
			t.Errorf("the store begins %.400s", export)
		}
	}
	named := r.Head(t).ExportID
	if named == before {
		t.Error("a new identity published nothing")
	}
	r.Publish.IdentityOf = nil
	if compute(t, r, inputsOf(t, r)); r.Head(t).ExportID != named {
		t.Error("a process without an identity took it away")
	}
}
