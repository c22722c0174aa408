package sealed_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/sealed"
)

// byFolder: the first folder of a key is its owner.
func byFolder(key string) (string, bool) {
	owner, _, ok := strings.Cut(key, "/")
	return owner, ok && owner != "keys"
}

func open(t *testing.T, below blob.Store, m sealed.Master) *sealed.Store {
	t.Helper()
	return sealed.New(below, sealed.NewKeyring(below, m, rand.Reader), byFolder)
}

func wantContent(t *testing.T, s blob.Store, key, want string) {
	t.Helper()
	if got, err := get(t.Context(), s, key, blob.Range{}); err != nil || string(got) != want {
		t.Errorf("%s: %q, %v", key, got, err)
	}
}

func TestOwnersHaveKeysOfTheirOwn(t *testing.T) {
	below, m := openDir(t), newMaster(t)
	s := open(t, below, m)
	put(t, s, "ann/o", []byte("of ann"))
	put(t, s, "bob/o", []byte("of bob"))
	if err := errors.Join(below.Delete(t.Context(), "keys/owners/ann.json"), below.Delete(t.Context(), "keys/owners/ann.copy.json")); err != nil {
		t.Fatal(err)
	}
	again := open(t, below, m)
	wantContent(t, again, "bob/o", "of bob")
	if _, err := get(t.Context(), again, "ann/o", blob.Range{}); !errors.Is(err, blob.ErrDamaged) || !strings.Contains(err.Error(), "data key") {
		t.Errorf("without a data key: %v", err)
	}
}

func TestRacingWritersShareTheFirstKey(t *testing.T) {
	below, m := openDir(t), newMaster(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s := open(t, below, m)
			if _, err := s.Put(t.Context(), "ann/"+string(rune('a'+i)), strings.NewReader("x"), blob.PutOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s := open(t, below, m)
	for i := range 8 {
		wantContent(t, s, "ann/"+string(rune('a'+i)), "x")
	}
}

func TestTheCopyStandsInForADamagedKeyFile(t *testing.T) {
	below, m := openDir(t), newMaster(t)
	put(t, open(t, below, m), "ann/o", []byte("x"))
	file, err := get(t.Context(), below, "keys/owners/ann.json", blob.Range{})
	if err != nil {
		t.Fatal(err)
	}
	for at := range file {
		flipped := bytes.Clone(file)
		flipped[at] ^= 4
		put(t, below, "keys/owners/ann.json", flipped)
		got, err := get(t.Context(), open(t, below, m), "ann/o", blob.Range{})
		if (err != nil || string(got) != "x") && !errors.Is(err, sealed.ErrMaster) {
			t.Fatalf("byte %d: %q, %v", at, got, err)
		}
	}
	if err := below.Delete(t.Context(), "keys/owners/ann.json"); err != nil {
		t.Fatal(err)
	}
	s := open(t, below, m)
	put(t, s, "ann/p", []byte("y"))
	wantContent(t, s, "ann/o", "x")
}

// The next writer repairs what a kill or damage has left of the two key files.
func TestKeyFilesAreRepairedOnSight(t *testing.T) {
	for _, name := range []string{"keys/owners/ann.json", "keys/owners/ann.copy.json"} {
		for what, spoil := range map[string]func(blob.Store) error{
			"missing": func(s blob.Store) error { return s.Delete(t.Context(), name) },
			"damaged": func(s blob.Store) error {
				_, err := s.Put(t.Context(), name, strings.NewReader("{}"), blob.PutOptions{})
				return err
			},
		} {
			below, m := openDir(t), newMaster(t)
			put(t, open(t, below, m), "ann/o", []byte("x"))
			if err := spoil(below); err != nil {
				t.Fatal(err)
			}
			put(t, open(t, below, m), "ann/p", []byte("y"))
			first, err := get(t.Context(), below, "keys/owners/ann.json", blob.Range{})
			if err != nil {
				t.Fatal(err)
			}
			second, err := get(t.Context(), below, "keys/owners/ann.copy.json", blob.Range{})
			if err != nil || !bytes.Equal(first, second) || len(first) < 50 {
				t.Errorf("%s %s: %q and %q, %v", name, what, first, second, err)
			}
			wantContent(t, open(t, below, m), "ann/o", "x")
		}
	}
}

func TestAnotherMasterKeyOpensNothing(t *testing.T) {
	below := openDir(t)
	put(t, open(t, below, newMaster(t)), "ann/o", []byte("x"))
	other := open(t, below, newMaster(t))
	if _, err := get(t.Context(), other, "ann/o", blob.Range{}); !errors.Is(err, sealed.ErrMaster) {
		t.Errorf("read: %v", err)
	}
	if _, err := other.Put(t.Context(), "ann/p", strings.NewReader("y"), blob.PutOptions{}); !errors.Is(err, sealed.ErrMaster) {
		t.Errorf("write: %v", err)
	}
}

func TestARotatedMasterKeyReplacesTheFirst(t *testing.T) {
	below, m := openDir(t), newMaster(t)
	put(t, open(t, below, m), "ann/o", []byte("x"))
	next, err := m.Rotated()
	if err != nil {
		t.Fatal(err)
	}
	next, err = sealed.ParseMaster(next.Text(), rand.Reader)
	if err != nil || len(next.IDs()) != 2 || next.IDs()[1] != m.ID() {
		t.Fatal(next, err)
	}
	if err := open(t, below, next).Keys().Rewrap(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	wantContent(t, open(t, below, next.Current()), "ann/o", "x")
	if _, err := get(t.Context(), open(t, below, m), "ann/o", blob.Range{}); !errors.Is(err, sealed.ErrMaster) {
		t.Errorf("with the first key: %v", err)
	}
}

func TestARenewedDataKeyLeavesEarlierCopiesUnreadable(t *testing.T) {
	below, m := openDir(t), newMaster(t)
	s := open(t, below, m)
	put(t, s, "ann/kept", []byte("ledger"))
	put(t, s, "ann/gone", []byte("secret"))
	backup, err := get(t.Context(), below, "ann/gone", blob.Range{})
	if err != nil {
		t.Fatal(err)
	}
	other := open(t, below, m) // another process, which knows the first key
	wantContent(t, other, "ann/gone", "secret")
	if err := s.Delete(t.Context(), "ann/gone"); err != nil {
		t.Fatal(err)
	}
	if err := s.Renew(t.Context(), "ann", "ann/"); err != nil {
		t.Fatal(err)
	}
	put(t, other, "ann/new", []byte("later"))
	put(t, below, "ann/gone", backup)
	again := open(t, below, m)
	wantContent(t, again, "ann/kept", "ledger")
	wantContent(t, again, "ann/new", "later")
	if _, err := get(t.Context(), again, "ann/gone", blob.Range{}); !errors.Is(err, blob.ErrDamaged) {
		t.Errorf("a backup can be read: %v", err)
	}
	if err := s.Renew(t.Context(), "bob"); err != nil {
		t.Errorf("an owner without keys: %v", err)
	}
}

// A conversion that breaks off goes on, and there and back again gives the same bytes.
func TestConvertThereAndBack(t *testing.T) {
	below, m := openDir(t), newMaster(t)
	bodies := map[string]string{"ann/a": "", "ann/b": "one", "bob/c": string(content(200_000)), "nobody": "plain"}
	for key, body := range bodies {
		put(t, below, key, []byte(body))
	}
	broken := errors.New("killed")
	failing := &failAfter{Store: below, left: 4, err: broken}
	if err := open(t, failing, m).Encrypt(t.Context(), func(blob.Object, bool) {}); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	if state, _, err := sealed.ReadState(t.Context(), below); state != sealed.Encrypting || err != nil {
		t.Errorf("after a kill: %s, %v", state, err)
	}
	s := open(t, below, m)
	if err := s.Encrypt(t.Context(), func(blob.Object, bool) {}); err != nil {
		t.Fatal(err)
	}
	if state, id, err := sealed.ReadState(t.Context(), below); state != sealed.Encrypted || id != m.ID() || err != nil {
		t.Errorf("converted: %s %s, %v", state, id, err)
	}
	for key, body := range bodies {
		wantContent(t, s, key, body)
		text, err := get(t.Context(), below, key, blob.Range{})
		if err != nil || key != "nobody" && bytes.Contains(text, []byte("0123456789")) {
			t.Errorf("%s is not encrypted: %v", key, err)
		}
	}
	if err := s.Decrypt(t.Context(), func(blob.Object, bool) {}); err != nil {
		t.Fatal(err)
	}
	for key, body := range bodies {
		wantContent(t, below, key, body)
	}
	if state, _, err := sealed.ReadState(t.Context(), below); state != sealed.Plain || err != nil {
		t.Errorf("converted back: %s, %v", state, err)
	}
}

func FuzzParseMaster(f *testing.F) {
	f.Add([]byte("PAMLINE-MASTER-KEY-1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"))
	f.Add([]byte("# nothing\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := sealed.ParseMaster(text, rand.Reader)
		if err != nil {
			return
		}
		again, err := sealed.ParseMaster(m.Text(), rand.Reader)
		if err != nil || again.ID() != m.ID() || len(again.IDs()) != len(m.IDs()) {
			t.Errorf("%v", err)
		}
	})
}
