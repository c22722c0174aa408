package mif_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/pamline/pamline/interop/mif"
)

func TestMembersAreFoundWhereverTheyStand(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"lists first":        `{"memories":[{"id":"mem_aa","content":"a \"b\\","type":"Task","created_at":"2026-01-02T10:00:00Z"}],"export":{"id":"exp_a1","created_at":"2026-01-03T10:45:00Z","user_id":"a"},"mif_version":"1.0"}`,
		"white space":        "\n {\t\"mif_version\" : \"1.0\" ,\r\n \"x\" : -1.5e3 , \"export\" : { \"id\":\"exp_a1\",\"created_at\":\"2026-01-03T10:45:00Z\",\"user_id\":\"a\" } , \"memories\" : [ { \"id\":\"mem_aa\",\"content\":\"a\",\"type\":\"Task\",\"created_at\":\"2026-01-02T10:00:00Z\" } ] , \"y\":null } \n",
		"an escaped name":    `{"mif_version":"1.0","export":{"id":"exp_a1","created_at":"2026-01-03T10:45:00Z","user_id":"a"},"m\u0065mories":[{"id":"mem_aa","content":"a","type":"Task","created_at":"2026-01-02T10:00:00Z"}]}`,
		"a byte order mark":  "\ufeff" + `{"mif_version":"1.0","export":{"id":"exp_a1","created_at":"2026-01-03T10:45:00Z","user_id":"a"},"memories":[{"id":"mem_aa","content":"a","type":"Task","created_at":"2026-01-02T10:00:00Z"}]}`,
		"a graph with lists": `{"mif_version":"1.0","export":{"id":"exp_a1","created_at":"2026-01-03T10:45:00Z","user_id":"a"},"graph":{"edges":[{"source":"mem_aa","target":"mem_aa","weight":1,"type":"causal"}],"nodes":[]},"memories":[{"id":"mem_aa","content":"a","type":"Task","created_at":"2026-01-02T10:00:00Z"}]}`,
	} {
		d, err := mif.Parse([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		n, err := d.Len(mif.Memories)
		if err := d.Check(func(f mif.Finding) { t.Errorf("%s: %+v", name, f) }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n != 1 || err != nil || d.Form != mif.JSON {
			t.Errorf("%s: %d memories as %s, %v", name, n, d.Form, err)
		}
	}
}

func TestTextsThatAreNoDocumentAreRefused(t *testing.T) {
	t.Parallel()
	whole := one + "\n"
	for at := range len(one) {
		if at > 0 && at%3 > 0 && at < len(one)-1 {
			continue
		}
		if _, err := mif.Parse([]byte(whole[:at])); err == nil {
			t.Errorf("it is accepted although it is cut off at %d", at)
		}
	}
	for _, text := range []string{one + "{}", one + ",", strings.Replace(one, `{"mif`, `{,"mif`, 1), strings.Replace(one, `"1.0",`, `"1.0"`, 1), strings.Replace(one, `"1.0"`, `1.0]`, 1), strings.Replace(one, `:"1.0"`, `:`, 1), strings.Replace(one, `"mif_version":"1.0"`, `"mif_version":"1.0","mif_version":"1.0"`, 1)} {
		if _, err := mif.Parse([]byte(text)); err == nil {
			t.Errorf("%.90q is accepted", text)
		}
	}
	// What is wrong inside of a record is a finding at its place, whatever comes behind it.
	for _, bad := range []string{`{"id":}`, `{"id":"a","id":"b"}`, `{"id":"\ud800"}`, `nonsense`, `{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`} {
		at := ""
		d, err := mif.Parse([]byte(strings.Replace(one, `"memories":[`, `"memories":[`+bad+",", 1)))
		if err == nil {
			err = d.Check(func(f mif.Finding) { at += f.ID + f.Pointer })
		}
		if err != nil || !strings.HasPrefix(at, "malformed/memories/0") {
			t.Errorf("%.40s: %s, %v", bad, at, err)
		}
	}
}

func TestADocumentOfManyRecordsIsReadRecordByRecord(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	b.WriteString(`{"mif_version":"1.0","export":{"id":"exp_a1","created_at":"2026-01-03T10:45:00Z","user_id":"a"},"memories":[`)
	const count = 20_000
	for i := range count {
		fmt.Fprintf(&b, `{"id":"mem_%08x","content":%q,"type":"Task","created_at":"2026-01-02T10:00:00Z"},`, i, strings.Repeat("a word ", 40))
	}
	b.WriteString(`{"id":"mem_ff","content":"the last","type":"Task","created_at":"2026-01-02T10:00:00Z"}]}`)
	d, err := mif.Parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(d.Root.Raw()); n > 1000 {
		t.Errorf("the root has %d bytes", n)
	}
	if n, err := d.Len(mif.Memories); n != count+1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	last := ""
	for r, err := range d.Records(mif.Memories) {
		if err != nil || r.Err != nil {
			t.Fatal(err, r.Err)
		}
		last = r.Get("content").Str()
	}
	if last != "the last" {
		t.Errorf("%q", last)
	}
}
