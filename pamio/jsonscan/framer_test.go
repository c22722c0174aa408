package jsonscan

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// cut is all frames of a stream, with the error at its end; io.EOF is nil.
func cut(r io.Reader, o FrameOptions) (frames []Frame, err error) {
	f := NewFramer(r, o)
	for {
		fr, err := f.Next(nil)
		if errors.Is(err, io.EOF) {
			return frames, nil
		}
		if len(fr.Raw) == 0 {
			fr.Raw = nil
		}
		if err != nil {
			return append(frames, fr), err
		}
		frames = append(frames, fr)
	}
}

// show is the frames in short: text, with wrapper, rest and size where they tell something.
func show(frames []Frame) string {
	var b strings.Builder
	for _, f := range frames {
		switch {
		case f.TooBig && f.Rest:
			fmt.Fprintf(&b, "(rest too big %d)", f.Size)
		case f.TooBig:
			fmt.Fprintf(&b, "(too big %d)", f.Size)
		case f.Rest:
			fmt.Fprintf(&b, "(rest of %s: %s)", strings.Join(f.Wrappers, "+"), f.Raw)
		case f.Wrapper != "":
			fmt.Fprintf(&b, "(%s: %s)", f.Wrapper, f.Raw)
		default:
			fmt.Fprintf(&b, "(%s)", f.Raw)
		}
	}
	return b.String()
}

var wrappers = []string{"conversations", "memories", "relations"}

func TestFramesOfStreams(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"nothing":                         {"", ""},
		"only space":                      {" \n", ""},
		"only a byte order mark":          {"\ufeff", ""},
		"empty array":                     {"[]", ""},
		"array":                           {`[1, {"a":[1,"]"]} ,"x",null]`, `(1)({"a":[1,"]"]})("x")(null)`},
		"array after a byte order mark":   {"\ufeff [1]\n", `(1)`},
		"arrays inside an array":          {`[[1,2],[],[[3]]]`, `([1,2])([])([[3]])`},
		"quotes and backslashes":          {`["\"","\\","\\\"],[","a\\\\"]`, `("\"")("\\")("\\\"],[")("a\\\\")`},
		"element missing":                 {`[1,,2]`, `(1)()(2)`},
		"element missing at the end":      {`[1,]`, `(1)()`},
		"element missing at the start":    {`[,1]`, `()(1)`},
		"comma missing":                   {`[1 2,{"a":1}{"b":2},"x""y",3]`, `(1 2)({"a":1} {"b":2})("x" "y")(3)`},
		"word that is not JSON":           {`[oops,1]`, `(oops)(1)`},
		"bare object":                     {` {"a" : 1 } `, `({"a" : 1 })`},
		"bare scalar":                     {`42`, `(42)`},
		"bare string":                     {`"[1,2]"`, `("[1,2]")`},
		"JSON Lines":                      {"{\"a\":1}\n{\"b\":[1]}\r\n\n7\n\"x\"", `({"a":1})({"b":[1]})(7)("x")`},
		"objects without space":           {`{"a":1}{"b":2}`, `({"a":1})({"b":2})`},
		"bad object among JSON Lines":     {"{\"a\" 1}\n{b:2}\n{\"c\":3}\n{\"d\":}\n{\"e\":1,}\n{}", `({"a" 1})({b:2})({"c":3})({"d":})({"e":1,})({})`},
		"wrapper":                         {`{"conversations":[1,{"a":2}]}`, `(conversations: 1)(conversations: {"a":2})(rest of conversations: {})`},
		"wrapper in the middle":           {`{"a":1,"conversations":[1],"b":[2]}`, `(conversations: 1)(rest of conversations: {"a":1,"b":[2]})`},
		"wrapper at the end":              {`{"a":1, "b":2 , "conversations":[1] }`, `(conversations: 1)(rest of conversations: {"a":1, "b":2 })`},
		"wrapper at the start":            {`{ "conversations":[] , "a":1}`, `(rest of conversations: {"a":1})`},
		"several wrappers":                {`{"memories":[1],"x":0,"relations":[],"conversations":[2]}`, `(memories: 1)(conversations: 2)(rest of memories+relations+conversations: {"x":0})`},
		"wrappers side by side":           {`{"memories":[1] , "relations":[2]}`, `(memories: 1)(relations: 2)(rest of memories+relations: {})`},
		"wrapper twice":                   {`{"memories":[1],"memories":[2]}`, `(memories: 1)(memories: 2)(rest of memories+memories: {})`},
		"wrapper that is no array":        {`{"memories":{"a":[1]},"b":1}`, `({"memories":{"a":[1]},"b":1})`},
		"wrapper null, another an array":  {`{"memories":null,"relations":[1]}`, `(relations: 1)(rest of relations: {"memories":null})`},
		"wrapper key with an escape":      {`{"memor\u0069es":[1]}`, `(memories: 1)(rest of memories: {})`},
		"wrapper key deeper":              {`{"a":{"memories":[1]}}`, `({"a":{"memories":[1]}})`},
		"wrapper with a missing element":  {`{"memories":[1,,2]}`, `(memories: 1)(memories: )(memories: 2)(rest of memories: {})`},
		"wrapped objects in JSON Lines":   {"{\"memories\":[1]}\n{\"memories\":[2],\"a\":1}", `(memories: 1)(rest of memories: {})(memories: 2)(rest of memories: {"a":1})`},
		"object without wrappers exactly": {"{ \"a\" :\t[1 , 2],\n\"b\":{ } }", "({ \"a\" :\t[1 , 2],\n\"b\":{ } })"},
		"empty object":                    {`{}`, `({})`},
	} {
		t.Run(name, func(t *testing.T) {
			frames, err := cut(strings.NewReader(c.src), FrameOptions{Wrappers: wrappers})
			if err != nil {
				t.Fatal(err)
			}
			if got := show(frames); got != c.want {
				t.Errorf("frames of %s\n got %s\nwant %s", c.src, got, c.want)
			}
			for i, f := range frames {
				if f.Index != i {
					t.Errorf("frame %d has index %d", i, f.Index)
				}
				at := c.src[f.Offset : f.Offset+f.Size]
				if !f.Rest && strings.Join(strings.Fields(at), "") != strings.Join(strings.Fields(string(f.Raw)), "") {
					t.Errorf("frame %d is %q but its offset and size give %q", i, f.Raw, at)
				}
				if f.Rest && (at[0] != '{' || at[len(at)-1] != '}') {
					t.Errorf("the rest's offset and size give %q", at)
				}
			}
		})
	}
}

func TestStreamsThatCannotBeFramed(t *testing.T) {
	for name, c := range map[string]struct {
		src string
		at  int
	}{
		"closing bracket alone":             {`]`, 0},
		"comma between values":              {`{"a":1},{"b":2}`, 7},
		"text after the array":              {`[1] 2`, 4},
		"brace in an array":                 {`[1}`, 2},
		"broken byte order mark":            {"\xef\xbb1", 2},
		"missing comma after a wrapper":     {`{"memories":[1] "a":2}`, 16},
		"comma at the end after a wrapper":  {`{"memories":[1],}`, 16},
		"brace in a wrapper":                {`{"memories":[1}`, 14},
		"missing colon after a wrapper":     {`{"memories":[1],"a" 1}`, 20},
		"missing value after a wrapper":     {`{"memories":[1],"a":}`, 20},
		"two commas after a wrapper":        {`{"memories":[1],,"a":2}`, 16},
		"key that is no string after array": {`{"memories":[1],a:2}`, 16},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFramer(strings.NewReader(c.src), FrameOptions{Wrappers: wrappers})
			for {
				_, err := f.Next(nil)
				if err == nil {
					continue
				}
				var s *SyntaxError
				if !errors.As(err, &s) || s.Offset != c.at {
					t.Errorf("%s: %v, want a syntax error at byte %d", c.src, err, c.at)
				}
				break
			}
			if _, err := f.Next(nil); !errors.Is(err, io.EOF) {
				t.Errorf("after the error: %v, want io.EOF", err)
			}
		})
	}
}

func TestTruncationGivesWhatWasThere(t *testing.T) {
	for name, c := range map[string]struct{ src, whole, partial string }{
		"in an element":             {`[{"a":1},{"b":"tex`, `({"a":1})`, `{"b":"tex`},
		"behind an element":         {`[{"a":1}`, `({"a":1})`, ``},
		"behind a comma":            {`[{"a":1},`, `({"a":1})`, ``},
		"in an empty array":         {`[`, ``, ``},
		"in a number of an array":   {`[12`, ``, `12`},
		"in a bare object":          {`{"a":1,"b":{"c`, ``, `{"a":1,"b":{"c`},
		"in a key":                  {`{"a":1,"b`, ``, `{"a":1,"b`},
		"behind a key":              {`{"a"`, ``, `{"a"`},
		"in an escape":              {`["a\`, ``, `"a\`},
		"in a wrapper's element":    {`{"memories":[1,{"x`, `(memories: 1)`, `{"x`},
		"behind a wrapper":          {`{"v":1,"memories":[1]`, `(memories: 1)`, `{"v":1,`},
		"in a string between lines": {"{\"a\":1}\n\"abc", `({"a":1})`, `"abc`},
	} {
		t.Run(name, func(t *testing.T) {
			frames, err := cut(strings.NewReader(c.src), FrameOptions{Wrappers: wrappers})
			var tr *TruncatedError
			if !errors.As(err, &tr) || tr.Offset != int64(len(c.src)) {
				t.Fatalf("%v, want a truncation at byte %d", err, len(c.src))
			}
			last := frames[len(frames)-1]
			if got := show(frames[:len(frames)-1]); got != c.whole {
				t.Errorf("whole values %s, want %s", got, c.whole)
			}
			if string(last.Raw) != c.partial {
				t.Errorf("partial value %q, want %q", last.Raw, c.partial)
			}
			if last.Index != len(frames)-1 {
				t.Errorf("the partial value has index %d", last.Index)
			}
		})
	}
}

func TestValuesBeyondTheLimitArePassedOver(t *testing.T) {
	long := `"` + strings.Repeat("x", 50) + `"`
	for name, c := range map[string]struct{ src, want string }{
		"element":        {`[1,` + long + `,2]`, `(1)(too big 52)(2)`},
		"exactly":        {`["12345678"]`, `("12345678")`},
		"one more":       {`["123456789"]`, `(too big 11)`},
		"wrapper":        {`{"memories":[` + long + `,2]}`, `(memories: 2)(rest of memories: {})`},
		"rest":           {`{"a":` + long + `,"memories":[2]}`, `(memories: 2)(rest too big 73)`},
		"rest, later":    {`{"memories":[2],"a":` + long + `}`, `(memories: 2)(rest too big 73)`},
		"key":            {`{` + long + `:1,"memories":[2]}`, `(memories: 2)(rest too big 71)`},
		"bare object":    {`{"a":` + long + `}`, `(too big 58)`},
		"bare string":    {long + "\n1", `(too big 52)(1)`},
		"wrapper key ok": {`{"a":1,"relations":[1]}`, `(relations: 1)(rest of relations: {"a":1})`},
	} {
		t.Run(name, func(t *testing.T) {
			frames, err := cut(strings.NewReader(c.src), FrameOptions{Wrappers: wrappers, MaxValue: 10})
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, f := range frames {
				if f.TooBig && f.Wrapper != "" {
					continue
				}
				got.WriteString(show([]Frame{f}))
			}
			if got.String() != c.want {
				t.Errorf("got %s, want %s", got.String(), c.want)
			}
		})
	}
}

func TestValueBeyondTheLimitIsNotHeld(t *testing.T) {
	src := io.MultiReader(strings.NewReader(`["`), io.LimitReader(endless('x'), 64<<20), strings.NewReader(`",1]`))
	f := NewFramer(src, FrameOptions{MaxValue: 1 << 10})
	fr, err := f.Next(nil)
	if err != nil || !fr.TooBig || fr.Size != 64<<20+2 || cap(fr.Raw) > 1<<20 {
		t.Fatalf("frame of %d bytes, too big: %v, holding %d; %v", fr.Size, fr.TooBig, cap(fr.Raw), err)
	}
	if fr, err = f.Next(nil); err != nil || string(fr.Raw) != "1" {
		t.Fatalf("the next value is %q, %v", fr.Raw, err)
	}
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestReadErrorsAreReturned(t *testing.T) {
	broken := errors.New("broken")
	for _, src := range []string{``, `[1,{"a"`, `{"a":1`, `{"memories":[1`, `[1]`, "\xef"} {
		_, err := cut(io.MultiReader(strings.NewReader(src), iotest.ErrReader(broken)), FrameOptions{Wrappers: wrappers})
		if !errors.Is(err, broken) {
			t.Errorf("behind %q: %v, want the reader's error", src, err)
		}
	}
	if _, err := cut(iotest.ErrReader(nil), FrameOptions{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that gives nothing: %v, want io.ErrNoProgress", err)
	}
}

func TestInArrayTellsArraysFromLines(t *testing.T) {
	for src, want := range map[string]bool{`[{"a":1}]`: true, `{"a":1}`: false, "\ufeff []": true} {
		f := NewFramer(strings.NewReader(src), FrameOptions{})
		if _, err := f.Next(nil); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if f.InArray() != want {
			t.Errorf("InArray of %s is %v", src, !want)
		}
	}
}
