package apertomemory_test

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/apertomemory"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

// text is a CBOR text of fewer than 24 bytes.
func text(s string) string { return string(rune(0x60+len(s))) + s }

// one is a payload: {1: 2, 2: content, 3: 0.5 (half), 5: trust, 6: ["tea"], 7: {1: 1735732800}, 9:
// "2027-01-01T00:00:00Z"}.
func one(content string, trust byte) string {
	return "\xa7\x01\x02\x02" + text(content) + "\x03\xf9\x38\x00\x05" + string([]byte{trust}) + "\x06\x81" + text("tea") + "\x07\xa1\x01\x1a\x67\x75\x2e\x40\x09" + text("2027-01-01T00:00:00Z")
}

func read(t testing.TB, data string) *importertest.Result {
	t.Helper()
	r := importertest.Read(t, apertomemory.New(), importer.Limits{}, importertest.File{Name: "x.cbor", Data: []byte(data)})
	importertest.Format{Importer: apertomemory.New(), NoInverse: true}.Check(t, r)
	return r
}

func TestOpenedPayloadsAreAdopted(t *testing.T) {
	for name, data := range map[string]string{"sequence": one("Ana likes tea", 1) + one("Pays late", 3), "list": "\x82" + one("Ana likes tea", 1) + one("Pays late", 3)} {
		r := read(t, data)
		if len(r.Records()) != 2 || len(r.Quarantined()) > 0 {
			t.Fatalf("%s: %d records, %v", name, len(r.Records()), r.Quarantined())
		}
		got := string(r.Records()[0].Raw)
		for _, want := range []string{`"content":"Ana likes tea"`, `"type":"fact"`, `"current":0.5`, `"tags":["tea"]`, `"created_at":"2025-01-01T12:00:00Z"`, `"valid_until":"2027-01-01T00:00:00Z"`, `"apertomemory":{"1":2`} {
			if !strings.Contains(got, want) {
				t.Errorf("%s is missing in %s", want, got)
			}
		}
		if !strings.Contains(string(r.Records()[1].Raw), `"untrusted"`) {
			t.Errorf("%s", r.Records()[1].Raw)
		}
	}
}

func TestSealedFilesAreRefusedWithAdvice(t *testing.T) {
	r := read(t, "\xa4\x01\x01\x02\xa2"+text("salt")+"\x41x"+text("sign_pub")+"\x41x\x03\x80\x04\xa0")
	if len(r.Claim.Members) > 0 || len(r.Claim.Refused) != 1 || !strings.Contains(r.Claim.Refused[0].Reason, "passphrase") {
		t.Errorf("%+v", r.Claim)
	}
}

func TestADamagedFileIsQuarantined(t *testing.T) {
	whole := one("Ana likes tea", 1)
	for n := 8; n < len(whole); n++ {
		if r := read(t, whole[:n]); len(r.Quarantined()) != 1 || len(r.Records()) > 0 {
			t.Errorf("cut at %d: %v", n, r.Quarantined())
		}
	}
}

func FuzzPayloads(f *testing.F) {
	f.Add([]byte(one("Ana likes tea", 1)))
	f.Add([]byte("\x9b\xff\xff\xff\xff\xff\xff\xff\xff\xa7\x01\x02\x02\x61a"))
	f.Fuzz(func(t *testing.T, data []byte) { read(t, string(data)) })
}
