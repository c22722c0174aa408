package embed

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestLinesAreReadAsTheyWereWritten(t *testing.T) {
	l := Line{Hash: "sha256:ab", Model: "a \"model\"", Vector: []float32{0.1, -2, 1e-7, 3.4e38, 0, 1e21, 16777216}}
	line := string(AppendLine([]byte("x"), &l))
	if want := `x{"hash":"sha256:ab","model":"a \"model\"","dimensions":7,"vector":[0.1,-2,1e-07,3.4e+38,0,1e+21,16777216]}` + "\n"; line != want {
		t.Errorf("%s, want %s", line, want)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		for i := range l.Vector {
			l.Vector[i] = math.Float32frombits(r.Uint32())
			if check(l.Vector[i:i+1]) != nil {
				l.Vector[i] = 1
			}
		}
		got, err := ParseLine(AppendLine(nil, &l))
		if err != nil || got.Hash != l.Hash || got.Model != l.Model || len(got.Vector) != len(l.Vector) {
			t.Fatalf("%+v: %+v, %v", l, got, err)
		}
		for i, x := range got.Vector {
			if math.Float32bits(x) != math.Float32bits(l.Vector[i]) {
				t.Fatalf("%v is read as %v", l.Vector[i], x)
			}
		}
	}
}

func TestLinesThatNobodyWroteAreRefused(t *testing.T) {
	good := `{"hash":"h","model":"m","dimensions":2,"vector":[1,2]}`
	if _, err := ParseLine([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, line := range map[string]string{
		"nothing":         "",
		"no JSON":         "x",
		"cut":             good[:len(good)-3],
		"more":            good + "1",
		"no hash":         strings.Replace(good, `"h"`, `""`, 1),
		"no model":        strings.Replace(good, `"m"`, `""`, 1),
		"another length":  strings.Replace(good, "[1,2]", "[1,2,3]", 1),
		"no numbers":      `{"hash":"h","model":"m","dimensions":0,"vector":[]}`,
		"zeros":           strings.Replace(good, "[1,2]", "[0,0]", 1),
		"beyond 32 bits":  strings.Replace(good, "[1,2]", "[1e39,2]", 1),
		"an unknown name": strings.Replace(good, "hash", "hush", 1),
		"another type":    strings.Replace(good, "[1,2]", `["1",2]`, 1),
	} {
		if l, err := ParseLine([]byte(line)); err == nil {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add([]byte(`{"hash":"h","model":"m","dimensions":2,"vector":[1,2]}`))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, line []byte) {
		l, err := ParseLine(line)
		if err != nil {
			return
		}
		out := AppendLine(nil, &l)
		if !json.Valid(out) {
			t.Fatalf("%q is written as %q", line, out)
		}
		if again, err := ParseLine(out); err != nil || again.Hash != l.Hash || len(again.Vector) != len(l.Vector) {
			t.Errorf("%q: %+v, then %+v: %v", line, l, again, err)
		}
	})
}
