package archive

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestZipsInZipsAreOpened(t *testing.T) {
	inner, _ := craft(t, crafted{name: "conversations.json", content: "[]"}, crafted{name: "broken", content: "x", crc: 1})
	whole, _ := craft(t,
		crafted{name: "stored.zip", content: string(inner)},
		crafted{name: "User/deflated.ZIP", content: string(inner), deflate: true},
		crafted{name: "not-really.zip", content: "text"},
		crafted{name: "document.docx", content: string(inner)},
		crafted{name: "last", content: "z"},
	)
	a := mustOpen(t, whole, Limits{})
	want := []string{"stored.zip/conversations.json=[]", "stored.zip/broken!checksum", "User/deflated.ZIP/conversations.json=[]",
		"User/deflated.ZIP/broken!checksum", "not-really.zip=text", "document.docx=" + string(inner), "last=z"}
	if got := listing(t, a); !slices.Equal(got, want) {
		t.Errorf("members are %q", got)
	}
}

func TestUploadedZipsAreFiles(t *testing.T) {
	inner := string(ordinary(t, "conversations.json", "[]"))
	for _, name := range []string{
		"file-AbCdEfGhIjKlMnOpQrStUv-my export.zip", "dalle/file_00000000a1b2c3d4e5f60718-x.ZIP", "file-65f1ad8c90523874d2d40001-0a1b2c3d.zip",
		"chat-11111111-0000-4000-8000-000000000001-files/old chats.zip", "open-webui/uploads/11111111-0000-4000-8000-000000000001_chats.zip",
		"ttl/30d/prod-mc-asset-server/11111111-0000-4000-8000-000000000001/content.zip",
	} {
		whole, _ := craft(t, crafted{name: name, content: inner})
		if got, want := listing(t, mustOpen(t, whole, Limits{})), []string{name + "=" + inner}; !slices.Equal(got, want) {
			t.Errorf("%s: members are %q", name, got)
		}
	}
	for _, name := range []string{"file-backup-2024.zip", "uploads/chats.zip", "my files/x.zip", "profile.zip"} {
		whole, _ := craft(t, crafted{name: name, content: inner})
		if got, want := listing(t, mustOpen(t, whole, Limits{})), []string{name + "/conversations.json=[]"}; !slices.Equal(got, want) {
			t.Errorf("%s: members are %q", name, got)
		}
	}
}

func TestNestingEndsAtItsLimit(t *testing.T) {
	// Sixteen zips in each of sixteen, five levels deep, would be a million.
	level := ordinary(t, "kernel", "boom")
	for range 5 {
		var files []string
		for i := range 16 {
			files = append(files, string(rune('a'+i))+".zip", string(level))
		}
		level = ordinary(t, files...)
	}
	a := mustOpen(t, level, Limits{})
	if len(a.Members) != 0 || a.RefusedCount != 16*16*16 {
		t.Errorf("%d members, %d refused", len(a.Members), a.RefusedCount)
	}
	if len(a.Refused) != MaxRefused || a.Refused[0].Code != CodeNesting || a.Refused[0].Archive != "drop.bin/a.zip/a.zip" {
		t.Errorf("%d refusals kept, the first is %v", len(a.Refused), a.Refused[0])
	}
	closed := mustOpen(t, ordinary(t, "a.zip", string(ordinary(t, "x", "y"))), Limits{MaxNesting: -1})
	if got, want := refusals(closed), []string{"a.zip!nesting"}; !slices.Equal(got, want) {
		t.Errorf("refused: %q", got)
	}
}

func TestZipsInZipsThatUnpackToFarMoreThanTheyAreEndTheArchive(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	zeros := strings.Repeat("\x00", 4<<20)
	leaf, _ := craft(t, crafted{name: "a", content: zeros, deflate: true}, crafted{name: "b", content: zeros, deflate: true}, crafted{name: "c", content: zeros, deflate: true})
	level := leaf
	for range 2 {
		var zips []crafted
		for i := range 16 {
			zips = append(zips, crafted{name: string(rune('a'+i)) + ".zip", content: string(level), deflate: true})
		}
		level, _ = craft(t, zips...)
	}
	_, err := openBytes(t, level, Limits{}) // three gibibytes
	if code := codeOf(t, err); code != CodeRatio || len(level) > 64<<10 {
		t.Errorf("%d bytes: code is %s", len(level), code)
	}
	whole, _ := craft(t, crafted{name: "a.zip", content: string(leaf), deflate: true}, crafted{name: "liar", content: "x", size: 2 << 30}, crafted{name: "z", content: "z"})
	if got := mustOpen(t, whole, Limits{}).Members; len(got) != 5 {
		t.Errorf("%d members", len(got))
	}
}

func TestBadInnerZipIsRefusedAndItsNeighboursGoOn(t *testing.T) {
	inner := ordinary(t, "a", "1", "b", "2", "c", "3")
	outer := func(bad crafted) []byte {
		bad.name = "bad.zip"
		whole, _ := craft(t, crafted{name: "x", content: "1"}, bad, crafted{name: "y", content: "2"})
		return whole
	}
	for _, c := range []struct {
		name   string
		data   []byte
		limits Limits
		want   Code
	}{
		{"no files", outer(crafted{content: string(ordinary(t))}), Limits{}, CodeEmpty},
		{"checksum", outer(crafted{content: string(inner), deflate: true, crc: 1}), Limits{}, CodeChecksum},
		{"scratch", outer(crafted{content: string(inner), deflate: true}), Limits{MaxScratch: 10}, CodeTooLarge},
		{"members", outer(crafted{content: string(inner)}), Limits{MaxMembers: 3}, CodeTooMany},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := mustOpen(t, c.data, c.limits)
			if got, want := listing(t, a), []string{"x=1", "y=2"}; !slices.Equal(got, want) {
				t.Errorf("members are %q", got)
			}
			if got, want := refusals(a), []string{"bad.zip!" + string(c.want)}; len(a.Refused) != 1 || a.Refused[0].Code != c.want {
				t.Errorf("refused: %q, expected %q", got, want)
			}
		})
	}
	cut := outer(crafted{content: string(inner[:len(inner)-30])})
	a := mustOpen(t, cut, Limits{})
	if got, want := listing(t, a), []string{"x=1", "bad.zip/a=1", "bad.zip/b=2", "bad.zip/c=3", "y=2"}; !slices.Equal(got, want) || a.Truncated == nil {
		t.Errorf("members are %q, truncated %v", got, a.Truncated)
	}
}

func TestScratchFilesAreGoneAfterClose(t *testing.T) {
	dir := t.TempDir()
	data := ordinary(t, "a.zip", string(ordinary(t, "x", "y"))) // the standard writer deflates
	a, err := Open(context.Background(), []Part{{Name: "a.zip", Source: bytes.NewReader(data)}}, Limits{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := read(a.Members[0]); err != nil || got != "y" {
		t.Errorf("member is %q, %v", got, err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := Open(context.Background(), []Part{{Name: "a.zip", Source: bytes.NewReader(data)}}, Limits{}, dir+"/missing"); err == nil || !strings.Contains(err.Error(), "scratch") {
		t.Errorf("without a scratch folder: %v", err)
	}
}
