package jsonscan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// chunks gives its text in pieces of random length.
type chunks struct {
	text []byte
	rnd  *rand.Rand
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.text) == 0 {
		return 0, io.EOF
	}
	n := min(c.rnd.IntN(4), len(c.text), len(p))
	copy(p, c.text[:n])
	c.text = c.text[n:]
	return n, nil
}

// checkFrames holds the frames of src against those of the same text in small pieces, and against
// encoding/json.
func checkFrames(t *testing.T, src []byte, seed uint64) {
	t.Helper()
	for _, o := range []FrameOptions{{}, {Wrappers: wrappers}, {Wrappers: wrappers, MaxValue: 7}} {
		whole, wholeErr := cut(bytes.NewReader(src), o)
		pieces, piecesErr := cut(&chunks{src, rand.New(rand.NewPCG(seed, 1))}, o)
		if !reflect.DeepEqual(whole, pieces) || fmt.Sprint(wholeErr) != fmt.Sprint(piecesErr) {
			t.Fatalf("%q with %+v: in one piece %s, %v; in small ones %s, %v", src, o, show(whole), wholeErr, show(pieces), piecesErr)
		}
		for _, f := range whole {
			if o.MaxValue > 0 && int64(len(f.Raw)) > o.MaxValue {
				t.Fatalf("%q: a frame of %d bytes with a limit of %d", src, len(f.Raw), o.MaxValue)
			}
		}
		if o.MaxValue == 0 && json.Valid(src) {
			checkValid(t, src, o, whole, wholeErr)
		}
	}
}

// checkValid holds the frames of valid JSON against what encoding/json makes of it.
func checkValid(t *testing.T, src []byte, o FrameOptions, frames []Frame, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%q is valid, but: %v", src, err)
	}
	want := []json.RawMessage{bytes.TrimSpace(src)}
	if want[0][0] == '[' {
		want = nil
		if err := json.Unmarshal(src, &want); err != nil {
			t.Fatal(err)
		}
	}
	rest := map[string]int{}
	if len(frames) > 0 && frames[len(frames)-1].Rest {
		want = nil
		for _, m := range membersOf(t, src) {
			if d, err := Parse(m.value, 0); err == nil && d.Root().Kind() == Array && contains(o.Wrappers, m.key) {
				for v := range d.Root().Items() {
					want = append(want, v.Raw())
				}
				continue
			}
			rest[m.key+"="+string(m.value)]++
		}
		last := frames[len(frames)-1]
		for _, m := range membersOf(t, last.Raw) {
			rest[m.key+"="+string(m.value)]--
		}
		for k, n := range rest {
			if n != 0 {
				t.Fatalf("%q: the rest %q differs in %s", src, last.Raw, k)
			}
		}
		frames = frames[:len(frames)-1]
	}
	if len(frames) != len(want) {
		t.Fatalf("%q: %d frames, want %d", src, len(frames), len(want))
	}
	for i, f := range frames {
		if !bytes.Equal(f.Raw, want[i]) || !bytes.Equal(src[f.Offset:f.Offset+f.Size], want[i]) {
			t.Fatalf("%q: frame %d is %q, want %q", src, i, f.Raw, want[i])
		}
	}
}

type memberText struct {
	key   string
	value []byte
}

func membersOf(t *testing.T, src []byte) (all []memberText) {
	t.Helper()
	d, err := Parse(src, 0)
	if err != nil {
		t.Fatalf("%q: %v", src, err)
	}
	for k, v := range d.Root().Fields() {
		all = append(all, memberText{k.Str(), v.Raw()})
	}
	return all
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

var streams = []string{
	`{"conversations":[1,{"a":"\\\""}],"x":[1,2],"memories":[]}`, "\ufeff[1,2]", `[{"a":1},"b\\",[],{}]`, "{}\n{}\n", `{"memories":[[],{"memories":[1]}],"memories":1}`,
	`{"a":"\"","b":"\\","relations":[" "]}`, `[,]`, `{"memories":[},]`, `{"x":1 "memories":[1]}`, `"abc`, `{"memories":[1],"a":"b`, `1 true "x" null`, "\xef\xbb", `{"a":}`,
}

func TestFramesDoNotDependOnThePiecesOfTheStream(t *testing.T) {
	for i, s := range append(append([]string{}, samples...), streams...) {
		checkFrames(t, []byte(s), uint64(i))
	}
	// Longer than the read buffer, so that strings and escapes lie across its end.
	long := chatExport(12)
	if len(long) < 2*readBuffer {
		t.Fatalf("the sample has %d bytes only", len(long))
	}
	for pad := range 9 {
		src := append([]byte(`{"p":"`+strings.Repeat(`\\`, pad)+`","conversations":`), append(long, '}')...)
		frames, err := cut(bytes.NewReader(src), FrameOptions{Wrappers: wrappers})
		if err != nil || len(frames) != 13 {
			t.Fatalf("%d frames, %v", len(frames), err)
		}
		checkValid(t, src, FrameOptions{Wrappers: wrappers}, frames, err)
	}
}

func FuzzFramer(f *testing.F) {
	for i, s := range append(append([]string{}, samples...), streams...) {
		f.Add([]byte(s), uint64(i))
	}
	f.Fuzz(checkFrames)
}
