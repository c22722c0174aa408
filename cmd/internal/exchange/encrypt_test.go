package exchange_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"filippo.io/age"

	"github.com/pamline/pamline/cmd/internal/exchange"
)

const clear = `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"ada"},"memories":[]}`

func identity(t *testing.T) *age.X25519Identity {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestAnEncryptedExportIsReadByItsRecipientsOnly(t *testing.T) {
	dir := t.TempDir()
	store, out, list := filepath.Join(dir, "store.json"), filepath.Join(dir, "out.age"), filepath.Join(dir, "who.txt")
	first, second := identity(t), identity(t)
	for name, text := range map[string]string{store: clear, list: "# friends\n" + second.Recipient().String() + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	to, err := exchange.Recipients([]string{first.Recipient().String(), list})
	if err != nil {
		t.Fatal(err)
	}
	export := func(o exchange.Options) error { _, err := exchange.Merge(o, store); return err }
	o := exchange.Options{Scratch: t.TempDir(), To: out}
	if err := exchange.Encrypted(o, to, export); err != nil {
		t.Fatal(err)
	}
	sealed, err := os.ReadFile(out)
	if err != nil || bytes.Contains(sealed, []byte("portable")) {
		t.Fatalf("it is not encrypted: %v", err)
	}
	for _, id := range []age.Identity{first, second} {
		r, err := age.Decrypt(bytes.NewReader(sealed), id)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(r); err != nil || !bytes.Contains(text, []byte(`"owner":{"id":"ada"}`)) {
			t.Errorf("%s, %v", text, err)
		}
	}
	if _, err := age.Decrypt(bytes.NewReader(sealed), identity(t)); err == nil {
		t.Error("a stranger can read it")
	}
	if err := exchange.Encrypted(o, to, export); !errors.Is(err, exchange.ErrExists) {
		t.Errorf("a file was replaced: %v", err)
	}
	broken := errors.New("broken")
	o.To = filepath.Join(dir, "broken.age")
	if err := exchange.Encrypted(o, to, func(exchange.Options) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(o.To); !errors.Is(err, os.ErrNotExist) {
		t.Error("half an export is left")
	}
}

func TestRecipientsThatAreNoneAreRefused(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"age1nonsense", "ssh-ed25519 nonsense", "nobody", empty} {
		if _, err := exchange.Recipients([]string{name}); err == nil {
			t.Errorf("%q was accepted", name)
		}
	}
}
