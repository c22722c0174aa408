package mif_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"

	"github.com/pamline/pamline/interop/mif"
)

const one = `{"mif_version":"1.0","export":{"id":"exp_a1","created_at":"2026-01-03T10:45:00Z","user_id":"ana"},"memories":[{"id":"mem_aa","content":"Ana likes tea.","type":"Pattern","created_at":"2026-01-02T10:00:00.000Z","importance":0.50}]}`

func found(t *testing.T, text string) (ids []string) {
	t.Helper()
	d, err := mif.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Check(func(f mif.Finding) { ids = append(ids, f.ID) }); err != nil {
		t.Fatal(err)
	}
	return ids
}

// sumOf is the checksum of a document.
func sumOf(t testing.TB, text string) string {
	t.Helper()
	d, err := mif.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := d.Sum()
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func TestTheThreeFormsSayTheSame(t *testing.T) {
	t.Parallel()
	body := `{"type":"header","mif_version":"1.0","export":{"id":"exp_a1","created_at":"2026-01-03T10:45:00Z","user_id":"ana"}}
{"type":"memory","data":{"id":"mem_aa","content":"Ana likes tea.","type":"Pattern","created_at":"2026-01-02T10:00:00.000Z","importance":0.50}}
`
	lines := body + fmt.Sprintf(`{"type":"footer","checksum":"sha256:%x","counts":{"memories":1,"todos":0}}`, sha256.Sum256([]byte(body)))
	yaml := `
mif_version: "1.0"
export: {id: exp_a1, created_at: 2026-01-03T10:45:00Z, user_id: ana}
memories:
  - id: mem_aa
    content: Ana likes tea.
    type: Pattern
    created_at: "2026-01-02T10:00:00.000Z"
    importance: 0.5
`
	for form, text := range map[mif.Form]string{mif.JSON: one, mif.Lines: lines, mif.YAML: yaml} {
		d, err := mif.Parse([]byte(text))
		if err != nil || d.Form != form {
			t.Fatalf("%s: %v", form, err)
		}
		if sumOf(t, text) != sumOf(t, one) {
			t.Errorf("%s says something else", form)
		}
		if form == mif.Lines && d.Checksum != mif.Verified {
			t.Errorf("the footer is %s", d.Checksum)
		}
	}
	for _, text := range []string{strings.Replace(lines, `"memories":1`, `"memories":2`, 1), body, lines + "\n{}"} {
		if _, err := mif.Parse([]byte(text)); err == nil {
			t.Errorf("a damaged document of lines is accepted: %.200s", text)
		}
	}
	if d, err := mif.Parse([]byte(strings.Replace(lines, "likes", "hates", 1))); err != nil || d.Checksum == mif.Verified {
		t.Error("a changed line is not noticed")
	}
}

func TestUnsafeYAMLIsRefused(t *testing.T) {
	t.Parallel()
	head := "mif_version: '1.0'\nexport: {id: exp_a}\n"
	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 9; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	for name, text := range map[string]string{
		"tag": "memories: !!python/object:os.system x", "binary": "memories: !!binary aGk=", "merge": "a: &a {b: 1}\nc: {<<: *a}", "two documents": "a: 1\n---\nb: 2",
		"number as key": "1: x", "nan": "a: .nan", "bomb": bomb, "deep": "a: " + strings.Repeat("[", 3000) + strings.Repeat("]", 3000),
	} {
		if _, err := mif.Parse([]byte(head + text)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestChecksumProfilesAreToldApart(t *testing.T) {
	t.Parallel()
	with := func(value, profile string) string {
		return strings.Replace(one, `"user_id":"ana"`, `"user_id":"ana","checksum":"sha256:`+value+`","x_checksum_profile":"`+profile+`"`, 1)
	}
	right := sumOf(t, with("x", mif.Profile))
	for want, text := range map[mif.Checksum]string{
		mif.Absent: one, mif.Verified: with(right, mif.Profile), mif.Mismatch: with(strings.Repeat("0", 64), mif.Profile), mif.Unverifiable: with(strings.Repeat("0", 64), "other"),
		mif.EmptyHash: with(fmt.Sprintf("%x", sha256.Sum256(nil)), ""), mif.CountOnly: with(fmt.Sprintf("%x", sha256.Sum256([]byte("1:0:0:0"))), ""),
	} {
		d, err := mif.Parse([]byte(text))
		if err != nil || d.Checksum != want {
			t.Errorf("%s: %v, %v", want, d.Checksum, err)
		}
	}
	if ids := found(t, with(strings.Repeat("0", 64), mif.Profile)); !slices.Contains(ids, "checksum") {
		t.Error("a wrong checksum is valid")
	}
}

func TestWhatIsWrongWithADocumentIsFound(t *testing.T) {
	t.Parallel()
	if ids := found(t, one); len(ids) > 0 {
		t.Errorf("a valid document: %v", ids)
	}
	for want, edit := range map[string][2]string{
		"pattern": {`"mem_aa"`, `"aa"`}, "length": {"Ana likes tea.", ""}, "type": {`"Pattern"`, `"Wish"`}, "time": {"2026-01-02T10", "yesterday"}, "range": {"0.50", "1.5"},
		"required":   {`,"created_at":"2026-01-02T10:00:00.000Z"`, ""},
		"duplicate":  {`"memories":[`, `"memories":[{"id":"mem_aa","content":"x","type":"Task","created_at":"2026-01-02T10:00:00Z"},`},
		"dimensions": {`"importance"`, `"embedding":{"model":"m","dimensions":3,"vector":[1]},"importance"`},
		"reference":  {`"importance"`, `"relations":{"related_memories":["mem_bb"]},"importance"`},
	} {
		if ids := found(t, strings.Replace(one, edit[0], edit[1], 1)); !slices.Contains(ids, want) {
			t.Errorf("%s is not found: %v", want, ids)
		}
	}
}

func TestDocumentsOfOtherFormatsAndVersionsAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		strings.Replace(one, `"1.0"`, `"3.0"`, 1): mif.ErrVersion, `{"schema":"portable-ai-memory"}`: mif.ErrNotMIF, "": mif.ErrNotMIF, "just words": mif.ErrNotMIF,
		strings.Replace(one, `"user_id":"ana"`, `"user_id":"ana","user_id":"b"`, 1): mif.ErrNotMIF,
	} {
		if _, err := mif.Parse([]byte(text)); !errors.Is(err, want) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

func TestEncryptedDocumentOpensOnlyWithItsParameters(t *testing.T) {
	t.Parallel()
	p := mif.Argon2{Password: []byte("a long password"), Salt: []byte("saltsalt"), Time: 1, Memory: 64, Threads: 1}
	block, err := aes.NewCipher(argon2.IDKey(p.Password, p.Salt, p.Time, p.Memory, p.Threads, 32))
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	iv := make([]byte, 12)
	sealed := gcm.Seal(nil, iv, []byte(one), nil)
	b64 := base64.StdEncoding.EncodeToString
	text := fmt.Sprintf(`{"mif_version":"1.0","encryption":{"algorithm":"aes-256-gcm","key_derivation":"argon2id","encrypted_payload":%q,"iv":%q,"auth_tag":%q}}`,
		b64(sealed[:len(sealed)-16]), b64(iv), b64(sealed[len(sealed)-16:]))
	d, err := mif.Parse([]byte(text))
	if err != nil || !d.IsEncrypted() {
		t.Fatal(err)
	}
	if inner, err := d.Decrypt(p); err != nil || inner.Digest != fmt.Sprintf("%x", sha256.Sum256([]byte(one))) {
		t.Errorf("%v", err)
	}
	wrong := p
	wrong.Time = 2
	if _, err := d.Decrypt(wrong); !errors.Is(err, mif.ErrDecrypt) {
		t.Errorf("other parameters: %v", err)
	}
	if _, err := d.Decrypt(mif.Argon2{Password: p.Password}); !errors.Is(err, mif.ErrEncrypted) {
		t.Errorf("no parameters: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(one))
	f.Add([]byte("mif_version: '1.0'\nexport: {id: exp_a}\nmemories: []"))
	f.Add([]byte(`{"type":"header","mif_version":"1.0","export":{}}` + "\n" + `{"type":"footer"}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		d, err := mif.Parse(src)
		if err != nil {
			return
		}
		broken := d.Check(func(mif.Finding) {})
		d.Consent()
		_, _ = d.Sum() // of what cannot be read there is none
		counted, err := d.Len(mif.Memories)
		n := int64(0)
		for r, err := range d.Records(mif.Memories) {
			if err != nil {
				n = counted
				break
			}
			if n++; r.Err == nil && r.Odd() {
				t.Fatal("a record is odd")
			}
		}
		if err == nil && broken == nil && n != counted {
			t.Fatalf("%d records, and %d are counted", n, counted)
		}
	})
}
