package segment

// scripts are those whose letters name a language, or nearly so. weight is how many Latin letters a
// letter is worth.
var scripts = [...]struct {
	from, to rune
	language string
	weight   int
}{
	{0x370, 0x3ff, "el", 1},
	{0x400, 0x52f, "ru", 1},
	{0x530, 0x58f, "hy", 1},
	{0x590, 0x5ff, "he", 1},
	{0x600, 0x77f, "ar", 1},
	{0x900, 0x97f, "hi", 1},
	{0x980, 0x9ff, "bn", 1},
	{0xa00, 0xa7f, "pa", 1},
	{0xa80, 0xaff, "gu", 1},
	{0xb80, 0xbff, "ta", 1},
	{0xc00, 0xc7f, "te", 1},
	{0xc80, 0xcff, "kn", 1},
	{0xd00, 0xd7f, "ml", 1},
	{0xd80, 0xdff, "si", 1},
	{0xe00, 0xe7f, "th", 1},
	{0xe80, 0xeff, "lo", 1},
	{0x1000, 0x109f, "my", 1},
	{0x10a0, 0x10ff, "ka", 1},
	{0x1200, 0x137f, "am", 1},
	{0x1780, 0x17ff, "km", 1},
	{0x3040, 0x30ff, "ja", 3},
	{firstSign, lastSign, "zh", 3},
	{0xac00, 0xd7af, "ko", 3},
}

// firstSign and lastSign are the first and the last sign of Chinese, signs is its place in scripts.
const (
	firstSign, lastSign = 0x3400, 0x9fff
	signs               = len(scripts) - 2
)

// script counts a letter that is not Latin.
func (t *tally) script(r rune) {
	for i := range scripts {
		if s := &scripts[i]; r >= s.from && r <= s.to {
			t.scripts[i]++
			break
		}
	}
	switch r {
	case 'і', 'ї', 'є', 'ґ', 'І', 'Ї', 'Є', 'Ґ':
		t.ukrainian++
	case 'ў', 'Ў':
		t.belarusian++
	case 'ђ', 'ј', 'љ', 'њ', 'ћ', 'џ':
		t.serbian++
	case 'پ', 'چ', 'ژ', 'گ', 'ک', 'ی':
		t.persian++
	case 'ٹ', 'ڈ', 'ڑ', 'ں', 'ے', 'ہ':
		t.urdu++
	}
	if r >= 0x3040 && r <= 0x30ff {
		t.kana++
	}
}

// ofScript tells the languages of one script apart.
func (t *tally) ofScript(i int) string {
	n := t.scripts[i]
	switch scripts[i].language {
	case "zh":
		if t.kana*10 > n {
			return "ja"
		}
	case "ru":
		switch {
		case t.belarusian*60 > n:
			return "be"
		case t.ukrainian*30 > n:
			return "uk"
		case t.serbian*30 > n:
			return "sr"
		}
	case "ar":
		switch {
		case t.urdu*25 > n:
			return "ur"
		case t.persian*30 > n:
			return "fa"
		}
	}
	return scripts[i].language
}
