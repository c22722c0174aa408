package archive

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestTruncatedZipIsReadAsFarAsItGoes(t *testing.T) {
	text := noise(20_000)
	for _, form := range []struct {
		name                string
		deflate, descriptor bool
	}{{"stored", false, false}, {"deflated", true, false}, {"streamed", true, true}} {
		t.Run(form.name, func(t *testing.T) {
			whole, body := craft(t,
				crafted{name: "a", content: "first", deflate: form.deflate, descriptor: form.descriptor},
				crafted{name: "b", content: text, deflate: form.deflate, descriptor: form.descriptor},
				crafted{name: "c", content: text, deflate: form.deflate, descriptor: form.descriptor},
			)
			t.Run("in the directory", func(t *testing.T) {
				for _, cut := range []int{body, body + 20, len(whole) - 1} {
					a := mustOpen(t, whole[:cut], Limits{})
					if got, want := listing(t, a), []string{"a=first", "b=" + text, "c=" + text}; !slices.Equal(got, want) {
						t.Errorf("cut at %d: members are %.100q", cut, got)
					}
					if a.Truncated == nil || a.Truncated.Code != CodeTruncated || a.Truncated.Hint == "" {
						t.Errorf("cut at %d: truncated is %v", cut, a.Truncated)
					}
				}
			})
			t.Run("in a member", func(t *testing.T) {
				a := mustOpen(t, whole[:body-3000], Limits{})
				if len(a.Members) != 3 || a.Truncated == nil {
					t.Fatalf("%d members, truncated %v", len(a.Members), a.Truncated)
				}
				got, err := read(a.Members[2])
				if codeOf(t, err) != CodeTruncated || len(got) < 8000 || !strings.HasPrefix(text, got) {
					t.Errorf("%d bytes came out of %d, then %v", len(got), len(text), err)
				}
				if got, err := read(a.Members[1]); err != nil || got != text {
					t.Errorf("the member before gives %d bytes, %v", len(got), err)
				}
			})
		})
	}
}

func TestDamagedDirectoryIsSalvaged(t *testing.T) {
	whole, body := craft(t, crafted{name: "a", content: "1"}, crafted{name: "b", content: "2"})
	damaged := slices.Clone(whole)
	damaged[body+entryLength+1]++ // the second entry's signature
	a := mustOpen(t, damaged, Limits{})
	if got, want := listing(t, a), []string{"a=1", "b=2"}; !slices.Equal(got, want) {
		t.Errorf("members are %q", got)
	}
	if a.Truncated == nil || a.Truncated.Code != CodeCorrupt {
		t.Errorf("damage is %v", a.Truncated)
	}
}

func TestSalvageKeepsTheReasonsOfMembersThatCannotBeRead(t *testing.T) {
	whole, body := craft(t, crafted{name: "locked", content: "1", flags: flagEncrypted}, crafted{name: "../b", content: "2"},
		crafted{name: "c", content: "3"}, crafted{name: "d", content: "stored with its size behind", descriptor: true})
	a := mustOpen(t, whole[:body], Limits{})
	if got, want := listing(t, a), []string{"locked!encrypted", "c=3", "d!truncated"}; !slices.Equal(got, want) {
		t.Errorf("members are %q", got)
	}
	if got, want := refusals(a), []string{"../b!bad-name"}; !slices.Equal(got, want) {
		t.Errorf("refused: %q", got)
	}
}

// Every cut of a small archive gives whole members, one cut member at most, or a clear error.
func TestEveryCutIsClear(t *testing.T) {
	whole, _ := craft(t, crafted{name: "a", content: "first", deflate: true, descriptor: true}, crafted{name: "b", content: "second"},
		crafted{name: "c", content: noise(300), deflate: true})
	want := map[string]string{"a": "first", "b": "second", "c": noise(300)}
	for cut := range whole {
		a, err := openBytes(t, whole[:cut], Limits{})
		if err != nil {
			codeOf(t, err)
			continue
		}
		if a.Kind != "zip" {
			continue // too short to be told
		}
		for i, m := range a.Members {
			got, err := read(m)
			if err != nil {
				codeOf(t, err)
				if i != len(a.Members)-1 || !strings.HasPrefix(want[m.Name], got) {
					t.Errorf("cut at %d: member %q gives %q and %v", cut, m.Name, got, err)
				}
			} else if got != want[m.Name] {
				t.Errorf("cut at %d: member %q is %q", cut, m.Name, got)
			}
		}
	}
}

// noise is text that does not compress to nothing, the same every time.
func noise(n int) string {
	var b bytes.Buffer
	for x := uint32(1); b.Len() < n; {
		x = x*1664525 + 1013904223
		b.WriteByte('!' + byte(x>>24)%90)
	}
	return b.String()
}
