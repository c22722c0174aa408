package near

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
)

func TestAlike(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"Lives in Berlin.", "LIVES in Berlin", true},
		{"Lives in Berlin.", "Lives in berlin", false}, // a name or none
		{"Has 2 cats.", "Has 3 cats.", false},
		{"Has 2 cats.", "Has 2 cats!", true},
		{"Eats meat.", "Does not eat meat.", false},
		{"Does not eat meat.", "Doesn't eat meat.", false},
		{"Mange de la viande.", "Ne mange pas de viande.", false},
		{"Works with Anna on it.", "Works with Anne on it.", false},
		{"Works with Anna. Often on it.", "Works with Anna; on it.", true},
	} {
		a, b := Read(tt.a), Read(tt.b)
		if a.Alike(&b) != tt.want || b.Alike(&a) != tt.want {
			t.Errorf("%q and %q: %v", tt.a, tt.b, !tt.want)
		}
	}
}

func TestJaccardIsThatOfThePieces(t *testing.T) {
	a, b, empty := Read("abc"), Read("ABCD!"), Read("…")
	// " ab", "abc", "bc " against " ab", "abc", "bcd", "cd ".
	if got := a.Jaccard(&b); got != 2.0/5 {
		t.Errorf("got %v", got)
	}
	if a.Jaccard(&a) != 1 || a.Jaccard(&empty) != 0 || empty.Jaccard(&empty) != 0 {
		t.Error("the ends of the scale are wrong")
	}
	if _, ok := empty.Bands(); ok {
		t.Error("a text without letters has keys")
	}
}

func TestNearTextsShareABandAndFarOnesSeldomDo(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		b := make([]byte, 3+rng.IntN(6))
		for i := range b {
			b[i] = byte('a' + rng.IntN(26))
		}
		return string(b)
	}
	shared := func(a, b *Text) bool {
		x, _ := a.Bands()
		y, _ := b.Bands()
		for i := range x {
			if x[i] == y[i] {
				return true
			}
		}
		return false
	}
	missed, false_, near := 0, 0, 0
	for range 2000 {
		words := make([]string, 12)
		for i := range words {
			words[i] = word()
		}
		a := Read(strings.Join(words, " "))
		words[rng.IntN(12)] += "s"
		b := Read(strings.Join(words, " "))
		far := Read(word() + " " + word() + " " + word())
		if a.Jaccard(&b) >= MinJaccard {
			near++
			if !shared(&a, &b) {
				missed++
			}
		}
		if shared(&a, &far) {
			false_++
		}
	}
	if near < 1000 || missed > 2 || false_ > 20 {
		t.Errorf("of %d near pairs %d are missed; %d far ones are filed together", near, missed, false_)
	}
}

func TestVectorsOfASmallAngleAreSortedBesideEachOther(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, dims := range []int{3, 64, 100, 768, 1536} {
		close_, far := 0, 0
		for range 30 {
			a, noise := make([]float32, dims), make([]float32, dims)
			for i := range a {
				a[i], noise[i] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
			}
			b := make([]float32, dims)
			for i := range b {
				b[i] = a[i] + .2*noise[i] // a cosine of about .98
			}
			sa, sb, sn := Sign(a), Sign(b), Sign(noise)
			if Cosine(a, b) >= .95 && sa.Distance(&sb) > MaxDistance {
				close_++
			}
			if math.Abs(Cosine(a, noise)) < .3 && sa.Distance(&sn) <= MaxDistance {
				far++
			}
		}
		if close_ > 0 || far > 0 {
			t.Errorf("%d dimensions: %d close pairs look far, %d far pairs look close", dims, close_, far)
		}
	}
}

func TestTheSignatureIsCutIntoTables(t *testing.T) {
	s := Sign([]float32{1, -2, 3})
	ones, inTables := 0, 0
	for _, w := range s {
		for ; w != 0; w &= w - 1 {
			ones++
		}
	}
	for n := range Tables {
		for w := s.Table(n); w != 0; w &= w - 1 {
			inTables++
		}
	}
	if ones != inTables || ones == 0 {
		t.Errorf("%d signs, %d in tables", ones, inTables)
	}
	scaled := Sign([]float32{2, -4, 6})
	if s != scaled {
		t.Error("the length of a vector changes its signs")
	}
}

func TestCosine(t *testing.T) {
	for _, tt := range []struct {
		a, b []float32
		want float64
	}{
		{[]float32{1, 0}, []float32{0, 2}, 0},
		{[]float32{3, 4}, []float32{6, 8}, 1},
		{[]float32{1, 0}, []float32{-1, 0}, -1},
		{[]float32{1, 0}, []float32{1}, 0},
		{[]float32{0, 0}, []float32{1, 0}, 0},
		{nil, nil, 0},
	} {
		if got := Cosine(tt.a, tt.b); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%v, %v: %v", tt.a, tt.b, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("Lives in Berlin, has 2 cats.", "Vit à Lyon")
	f.Add("\xff", "é̂ß")
	f.Add("O'Brien's C++, C#\x00 & 'x'", "")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := Read(a), Read(b)
		j := x.Jaccard(&y)
		if j < 0 || j > 1 || j != y.Jaccard(&x) || x.Alike(&y) != y.Alike(&x) || !x.Alike(&x) {
			t.Errorf("%q and %q compare differently in two directions (%v)", a, b, j)
		}
		if fold(a) != normalize.FoldValue(a) {
			t.Errorf("%q is folded to %q", a, fold(a))
		}
		if len(x.pieces) > 0 && x.Jaccard(&x) != 1 {
			t.Errorf("%q is not like itself", a)
		}
	})
}

func BenchmarkBands(b *testing.B) {
	for b.Loop() {
		t := Read("Works as an academic researcher at a small institute in the north.")
		t.Bands()
	}
}

func BenchmarkSign(b *testing.B) {
	v := make([]float32, 1536)
	for i := range v {
		v[i] = float32(i%7) - 3
	}
	for b.Loop() {
		Sign(v)
	}
}

func TestNamingThePersonAsTheUserDoesNotCount(t *testing.T) {
	said := Read("Is allergic to walnuts.")
	for text, want := range map[string]bool{
		"User is allergic to walnuts.": true, "The user is allergic to walnuts.": true, "User manuals are boring.": false, "User ": false, "user": false,
	} {
		got := Read(text)
		if same := said.Jaccard(&got) >= .9 && said.Alike(&got); same != want {
			t.Errorf("%q: %v", text, same)
		}
	}
}
