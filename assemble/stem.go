package assemble

import (
	"slices"
	"strings"
	"unicode"
)

// minStem is how many letters of a word are left at least when its ending is dropped.
const minStem = 4

// minDrug is how many letters a word has more than whose last letter only tells the language, as
// names of medicines: "metformin", "metformine", "metformina".
const minDrug = 9

// nameEndings are those of plurals that tell one first name from another: Lucas and Luca, Carlos
// and Carlo. They stay.
var nameEndings = []string{"as", "os", "ss"}

// cyrillicEndings are case endings of folded words, the longest first.
var cyrillicEndings = []string{"иями", "ями", "ами", "ого", "его", "ому", "ему", "ыми", "ими", "ою", "ею", "ой", "ои", "еи", "ом", "ем", "ов", "ев", "ам", "ям", "ах", "ях", "ии", "ыи", "ую", "юю", "ая", "яя", "ое", "ее", "ые", "ие", "ых", "их", "ым", "им", "а", "я", "о", "е", "и", "ы", "у", "ю", "ь"}

// stemName drops from each word of a folded name the ending that only tells number or case, so that
// "coffee" names what "six coffees a day" does, and "спицы" what "на спицах" does.
func stemName(name string) string {
	words := strings.Fields(name)
	for i, w := range words {
		words[i] = stemWord(w)
	}
	return strings.Join(words, " ")
}

func stemWord(w string) string {
	letters := []rune(w)
	if len(letters) <= minStem-1 || !unicode.IsLetter(letters[0]) {
		return w
	}
	if unicode.Is(unicode.Cyrillic, letters[0]) {
		for _, ending := range cyrillicEndings {
			if stem, cut := strings.CutSuffix(w, ending); cut && len([]rune(stem)) >= minStem {
				return stem
			}
		}
		return w
	}
	if len(letters) > minDrug && (strings.HasSuffix(w, "ine") || strings.HasSuffix(w, "ina") || strings.HasSuffix(w, "olo")) {
		return w[:len(w)-1]
	}
	isName := func(ending string) bool { return strings.HasSuffix(w, ending) }
	if len(letters) > minStem && strings.HasSuffix(w, "s") && !slices.ContainsFunc(nameEndings, isName) {
		return w[:len(w)-1]
	}
	return w
}
