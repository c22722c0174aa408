package assemble

import "testing"

// TestStemName compares how a name is told with how a memory tells it.
func TestStemName(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"coffee", "coffees", true},
		{"cafe", "cafes", true},
		{"спицы", "спицах", true},
		{"олег", "олегом", true},
		{"машину", "машина", true},
		{"metformine", "metformin", true},
		{"bisoprololo", "bisoprolol", true},
		{"martina", "martin", false},
		{"lucas", "luca", false},
		{"carlos", "carlo", false},
		{"andreas", "andrea", false},
		{"acme", "acm", false},
		{"bus", "bu", false},
		{"glass", "glas", false},
		{"кот", "кто", false},
		{"猫", "犬", false},
	} {
		if got := stemName(c.a) == stemName(c.b); got != c.same {
			t.Errorf("stemName(%q) = %q, stemName(%q) = %q", c.a, stemName(c.a), c.b, stemName(c.b))
		}
	}
}
