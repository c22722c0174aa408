package archive

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestZipMembersComeInDirectoryOrderWithTheirContent(t *testing.T) {
	big := strings.Repeat("conversation ", 50_000)
	whole, _ := craft(t,
		crafted{name: "b.json", content: "stored"},
		crafted{name: "a.json", content: big, deflate: true},
		crafted{name: "c.json", content: "behind", deflate: true, descriptor: true},
		crafted{name: "d.json", content: "sixty-four", deflate: true, zip64: true},
		crafted{name: "empty", content: ""},
	)
	want := []string{"b.json=stored", "a.json=" + big, "c.json=behind", "d.json=sixty-four", "empty="}
	a := mustOpen(t, whole, Limits{})
	if got := listing(t, a); !slices.Equal(got, want) {
		t.Errorf("members are %.300q", got)
	}
	if a.Kind != "zip" || a.Truncated != nil || a.RefusedCount != 0 {
		t.Errorf("archive is %+v", a)
	}
	if a.Members[1].Size != int64(len(big)) {
		t.Errorf("size is %d", a.Members[1].Size)
	}
}

func TestZipMayHaveAProgramBeforeItAndACommentBehind(t *testing.T) {
	for name, data := range map[string][]byte{
		"offsets from the zip's start":  append([]byte(strings.Repeat("#!stub\n", 99)), ordinary(t, "a", "1", "b", "2")...),
		"volume marker":                 append([]byte("PK00"), ordinary(t, "a", "1", "b", "2")...),
		"offsets from the file's start": shifted(t, 500),
		"signed directory":              signed(t),
		"comment":                       withComment(ordinary(t, "a", "1", "b", "2"), "PK\x05\x06 looks like an end, but is none: so here we write on and on"),
	} {
		t.Run(name, func(t *testing.T) {
			a := mustOpen(t, data, Limits{})
			if got, want := listing(t, a), []string{"a=1", "b=2"}; !slices.Equal(got, want) || a.Truncated != nil {
				t.Errorf("members are %q, truncated %v", got, a.Truncated)
			}
		})
	}
}

func shifted(t *testing.T, by int64) []byte {
	var b bytes.Buffer
	b.Write(bytes.Repeat([]byte{'x'}, int(by)))
	z := zip.NewWriter(&b)
	z.SetOffset(by)
	for _, f := range [][2]string{{"a", "1"}, {"b", "2"}} {
		w, err := z.Create(f[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// signed has a digital signature between the directory and the end record, which is not counted in
// the directory's size.
func signed(t *testing.T) []byte {
	z := ordinary(t, "a", "1", "b", "2")
	end := len(z) - endLength
	return slices.Concat(z[:end], []byte("PK\x05\x05\x04\x00sign"), z[end:])
}

func withComment(z []byte, comment string) []byte {
	binary.LittleEndian.PutUint16(z[len(z)-2:], uint16(len(comment)))
	return append(z, comment...)
}

func TestZipKeepsDuplicateNamesAndCountsWhatItLeavesOut(t *testing.T) {
	whole, _ := craft(t,
		crafted{name: "x/"}, crafted{name: "x/a", content: "1"}, crafted{name: "x/a", content: "2"},
		crafted{name: "__MACOSX/x/._a", content: "junk"}, crafted{name: "x/.DS_Store", content: "junk"}, crafted{name: "x/Thumbs.db", content: "junk"},
		crafted{name: "x/link", content: "/etc/passwd", externalAttr: 0o120777 << 16},
		crafted{name: "x/._kept", content: "3"},
	)
	a := mustOpen(t, whole, Limits{})
	if got, want := listing(t, a), []string{"x/a=1", "x/a=2", "x/._kept=3"}; !slices.Equal(got, want) {
		t.Errorf("members are %q", got)
	}
	if got := fmt.Sprint(a.LeftOut); got != "map[directory:1 junk:3 link:1]" {
		t.Errorf("left out: %s", got)
	}
}

func TestZipNamesAreLabels(t *testing.T) {
	unicodePath := func(old, name string) []byte {
		f := binary.LittleEndian.AppendUint32([]byte{1}, crc32.ChecksumIEEE([]byte(old)))
		f = append(f, name...)
		return append([]byte{0x75, 0x70, byte(len(f)), 0}, f...)
	}
	for _, c := range []struct {
		raw   string
		extra []byte
		want  string // "" : refused
	}{
		{raw: `dir\sub\a.json`, want: "dir/sub/a.json"},
		{raw: "./a//b/./c", want: "a/b/c"},
		{raw: "caf\x82.json", want: "café.json"},
		{raw: "caf\x82.json", extra: unicodePath("caf\x82.json", "café ☕.json"), want: "café ☕.json"},
		{raw: "other", extra: unicodePath("not other", "wrong"), want: "other"},
		{raw: "a..b/...", want: "a..b/..."},
		{raw: "/etc/passwd"}, {raw: `\\server\share`}, {raw: "../a"}, {raw: "a/../../b"}, {raw: `a\..\b`}, {raw: "C:/a"}, {raw: `c:a`},
		{raw: "a\x00b"}, {raw: "."}, {raw: strings.Repeat("n", 5000)},
	} {
		whole, _ := craft(t, crafted{name: c.raw, extra: c.extra, content: "x"}, crafted{name: "good", content: "y"})
		a := mustOpen(t, whole, Limits{})
		got := listing(t, a)
		if c.want == "" {
			if !slices.Equal(got, []string{"good=y"}) || a.RefusedCount != 1 || a.Refused[0].Code != CodeBadName {
				t.Errorf("%.40q: members %q, refused %v", c.raw, got, a.Refused)
			}
			continue
		}
		if !slices.Equal(got, []string{c.want + "=x", "good=y"}) {
			t.Errorf("%q: members %q", c.raw, got)
		}
	}
}

func TestOneBadMemberSpoilsOnlyItself(t *testing.T) {
	text := strings.Repeat("text ", 1000)
	for _, c := range []struct {
		name string
		bad  crafted
		want Code
		says string
	}{
		{"encrypted", crafted{content: text, deflate: true, flags: flagEncrypted}, CodeEncrypted, "password"},
		{"AES", crafted{content: text, method: 99}, CodeEncrypted, "password"},
		{"deflate64", crafted{content: text, method: 9}, CodeUnsupported, "deflate64"},
		{"method nobody knows", crafted{content: text, method: 77}, CodeUnsupported, "method 77"},
		{"says less than comes out", crafted{content: text, deflate: true, size: 10}, CodeChecksum, "more bytes"},
		{"says more than comes out", crafted{content: text, deflate: true, size: 6000}, CodeChecksum, "6000"},
		{"wrong checksum", crafted{content: text, deflate: true, crc: 1}, CodeChecksum, "checksum"},
		{"wrong checksum, stored", crafted{content: text, crc: 1}, CodeChecksum, "checksum"},
		{"two sizes of a stored member", crafted{content: text, size: 4}, CodeChecksum, "differ"},
		{"damaged data", crafted{content: text, method: methodDeflate}, CodeCorrupt, "damaged"},
		{"data cut short", crafted{content: text, deflate: true, csize: 20}, CodeTruncated, "too early"},
		{"reaches over its neighbour", crafted{content: text, deflate: true, csize: 4000}, CodeOverlap, "another"},
		{"no header where it says", crafted{content: text, headerAt: 3}, CodeCorrupt, "no member"},
		{"size without its 64 bit field", crafted{content: text, size: 0xFFFFFFFF, csize: 0xFFFFFFFF}, CodeCorrupt, "sizes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.bad.name = "bad"
			whole, _ := craft(t, crafted{name: "before", content: "1", deflate: true}, c.bad, crafted{name: "after", content: strings.Repeat("2", 5000)})
			a := mustOpen(t, whole, Limits{})
			want := []string{"before=1", "bad!" + string(c.want), "after=" + strings.Repeat("2", 5000)}
			if got := listing(t, a); !slices.Equal(got, want) {
				t.Errorf("members are %.200q", got)
			}
			if _, err := read(a.Members[1]); err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), `"bad"`) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestOverlappingMembersAreRefusedAndTheRestIsDisjoint(t *testing.T) {
	t.Run("every entry the same bytes", func(t *testing.T) {
		members := []crafted{{name: "kernel", content: strings.Repeat("0", 1<<14), deflate: true}}
		for i := range 50 {
			m := members[0]
			m.name, m.omitFromHeader, m.headerAt = fmt.Sprint(i), true, -1
			members = append(members, m)
		}
		whole, _ := craft(t, members...)
		got := listing(t, mustOpen(t, whole, Limits{}))
		if !strings.HasPrefix(got[0], "kernel=") || got[1] != "0!overlapping-members" || got[50] != "49!overlapping-members" {
			t.Errorf("members are %.300q", got)
		}
	})
	t.Run("headers quoted inside the data", func(t *testing.T) {
		inner, body := craft(t, crafted{name: "inner", content: "kernel"})
		whole, _ := craft(t, crafted{name: "outer", content: string(inner[:body])},
			crafted{name: "inner", content: "kernel", omitFromHeader: true, headerAt: int64(headerLength + len("outer"))})
		if got, want := listing(t, mustOpen(t, whole, Limits{})), []string{"outer!overlapping-members", "inner=kernel"}; !slices.Equal(got, want) {
			t.Errorf("members are %q", got)
		}
	})
}

func TestLimitsAreHeldOnWhatComesOut(t *testing.T) {
	zeros := strings.Repeat("\x00", 1<<17)
	whole, _ := craft(t, crafted{name: "a", content: zeros, deflate: true}, crafted{name: "b", content: "b"}, crafted{name: "c", content: zeros, deflate: true})
	t.Run("members", func(t *testing.T) {
		_, err := openBytes(t, whole, Limits{MaxMembers: 2})
		if got := codeOf(t, err); got != CodeTooMany {
			t.Errorf("code is %s", got)
		}
	})
	t.Run("member size", func(t *testing.T) {
		got := listing(t, mustOpen(t, whole, Limits{MaxMemberSize: 1 << 16}))
		if want := []string{"a!too-large", "b=b", "c!too-large"}; !slices.Equal(got, want) {
			t.Errorf("members are %.100q", got)
		}
	})
	t.Run("total", func(t *testing.T) {
		got := listing(t, mustOpen(t, whole, Limits{MaxTotal: 1<<17 + 10}))
		if want := []string{"a=" + zeros, "b=b", "c!too-large"}; !slices.Equal(got, want) {
			t.Errorf("the last member is %.100q", got[2])
		}
	})
}

// endless gives zeros without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestRatioIsCountedInProducedBytes(t *testing.T) {
	e := &entry{name: "bomb", size: -1, compressed: RatioFloor / 500, meter: &meter{}}
	sh := &shared{limits: Limits{MaxRatio: 600}.withDefaults()}
	g := newGuard(context.Background(), io.NopCloser(endless{}), e, sh)
	n, err := io.Copy(io.Discard, g)
	if codeOf(t, err) != CodeRatio || n < RatioFloor || n > RatioFloor*2 {
		t.Errorf("stopped after %d bytes with %v", n, err)
	}
}

func TestUnknownSizesCountOnceTowardsTheTotal(t *testing.T) {
	sh := &shared{limits: Limits{MaxTotal: 100}.withDefaults()}
	e := &entry{name: "m", size: -1, meter: &meter{}}
	for range 3 {
		g := newGuard(context.Background(), io.NopCloser(strings.NewReader(strings.Repeat("x", 60))), e, sh)
		if _, err := io.ReadAll(g); err != nil {
			t.Fatal(err)
		}
	}
	again := newGuard(context.Background(), io.NopCloser(strings.NewReader("x")), e, sh)
	if _, err := io.ReadAll(again); err != nil {
		t.Fatal(err)
	}
	other := &entry{name: "n", size: -1, meter: &meter{}}
	_, err := io.ReadAll(newGuard(context.Background(), io.NopCloser(strings.NewReader(strings.Repeat("x", 60))), other, sh))
	if codeOf(t, err) != CodeTooLarge {
		t.Errorf("error is %v", err)
	}
}

func TestZipsThatAreNone(t *testing.T) {
	whole := ordinary(t, "a", "1")
	split := slices.Clone(whole)
	split[len(split)-endLength+4], split[len(split)-endLength+6] = 2, 2
	for _, c := range []struct {
		name string
		data []byte
		want Code
	}{
		{"no bytes", nil, CodeEmpty},
		{"no files", ordinary(t), CodeEmpty},
		{"first volume", []byte("PK\x07\x08PK\x03\x04 and so on"), CodeSplit},
		{"last volume", split, CodeSplit},
		{"header only", []byte("PK\x03\x04"), CodeTruncated},
		{"7z", []byte("7z\xbc\xaf\x27\x1c rest"), CodeNotArchive},
		{"rar", []byte("Rar!\x1a\x07\x01\x00 rest"), CodeNotArchive},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := openBytes(t, c.data, Limits{})
			if got := codeOf(t, err); got != c.want {
				t.Errorf("code is %s (%v)", got, err)
			}
		})
	}
}

// countingSource counts the reads, as a store counts requests.
type countingSource struct {
	*bytes.Reader
	reads int
}

func (c *countingSource) ReadAt(p []byte, off int64) (int, error) {
	c.reads++
	return c.Reader.ReadAt(p, off)
}

func TestManyMembersOpenInFewReads(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	for _, n := range []int{20_000, 66_000} { // the second needs zip64
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i := range n {
			w, err := z.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("conversations/%06d/conversation.json", i), Method: zip.Store})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Fprint(w, i); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		src := &countingSource{Reader: bytes.NewReader(b.Bytes())}
		a, err := Open(context.Background(), []Part{{Name: "x.zip", Source: src}}, Limits{}, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if len(a.Members) != n {
			t.Fatalf("%d members of %d", len(a.Members), n)
		}
		if src.reads > 10 {
			t.Errorf("%d reads to open %d members", src.reads, n)
		}
		before := src.reads
		if got, err := read(a.Members[n-1]); err != nil || got != fmt.Sprint(n-1) {
			t.Errorf("last member is %q, %v", got, err)
		}
		if got := src.reads - before; got > 2 {
			t.Errorf("%d reads for one small member", got)
		}
	}
}

func TestMemberReadsStopWithTheContext(t *testing.T) {
	a := mustOpen(t, ordinary(t, "a", strings.Repeat("x", 1<<20)), Limits{})
	ctx, cancel := context.WithCancel(context.Background())
	r, err := a.Members[0].Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := r.Read(make([]byte, 10)); err != context.Canceled {
		t.Errorf("error is %v", err)
	}
	if _, err := a.Members[0].Open(ctx); err != context.Canceled {
		t.Errorf("error is %v", err)
	}
}
