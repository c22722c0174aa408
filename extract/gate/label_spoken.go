package gate

import "strings"

// isSpokenPassword takes what isPassword takes, and words as people make passwords of them, behind
// "is": a name ("is Swordfish"), a plain word alone ("is fluffy"), and several that begin with a
// name and end in a number ("is Fluffy the cat 1999"). What is told of a password is none.
func isSpokenPassword(v candidate) int {
	if end := isPassword(v); end > 0 || v.joined != byVerb {
		return end
	}
	w, end := v.value()
	var buf [64]byte
	start, stop, folded, ok := nextWord(v.text, v.start, buf[:0])
	if !ok || start != v.start || stop != end || statuses[string(folded)] || states[string(folded)] {
		return 0
	}
	if endsLine(v.text, end) && len(folded) >= 5 {
		if participle(string(folded)) {
			return 0
		}
		return end
	}
	if w[0] < 'A' || w[0] > 'Z' {
		return 0
	}
	for n := 1; n <= 6; n++ {
		next, after, _, ok := nextWord(v.text, end, nil)
		if !ok || next-end > 2 || strings.IndexByte(" -_", v.text[end]) < 0 {
			return 0
		}
		end = after
		if all(v.text[next:after], digits) && after-next >= 2 && endsLine(v.text, end) {
			return end
		}
	}
	return 0
}

// participle tells whether a word has an ending of participles: "expired", "olvidada".
func participle(folded string) bool {
	for _, s := range participles {
		if strings.HasSuffix(folded, s) && len(folded) > len(s)+2 {
			return true
		}
	}
	return false
}

// participles are endings of words that tell what became of a thing, or what it is like.
var participles = []string{"ed", "ing", "able", "ible", "less", "ful", "ive", "ly", "iert", "bar", "lich", "ig", "isch", "ado", "ada", "ido", "ida", "ados", "adas", "able", "vel",
	"ato", "ata", "uto", "uta", "ito", "ita", "bile", "issimo", "issima", "isimo", "isima", "ment", "mente", "ique", "ico", "ica"}

// states are words that tell what a password is like and have no such ending.
var states = words(`weak strong stronger weaker short shorter long longer easy hard simple complex safe safer unsafe secure insecure stolen broken known old older new newer good better bad fine okay great
	different similar obvious random unique identical gone important essential mandatory numeric alphanumeric case there here written stuck useless stupid dumb public personal common standard
	default temporary permanent somewhere something someone anything everything nothing enough ready right everywhere anywhere anymore overall crap garbage boring ridiculous terrible awful strange weird odd hidden given taken shown kept sent
	schwach stark starker kurz kurzer lang langer einfach schwer komplex sicher unsicher gestohlen geklaut gehackt bekannt neu neuer gut besser schlecht anders gleich dasselbe zufallig einzigartig wichtig weg
	abgelaufen gesperrt ungultig gultig korrekt richtig geandert verloren gespeichert notiert weniger standard pflicht nichts alles etwas irgendwo uberall hier dort kompliziert vorbei geschichte mist mull quatsch schrott
	kaputt offentlich personlich zuruckgesetzt geknackt gesetzt gewahlt verschlusselt verraten gemerkt gefunden erraten
	faible forte court courte longue facile difficile complexe sure nouveau nouvelle vieux vieille ancien ancienne mauvais mauvaise bonne meme different unique important importante expire expiree
	vole volee pirate bloque bloquee change changee correct correcte incorrecte invalide valide simple nulle trouve trouvee quelque rien partout ailleurs compliquee complique enregistre enregistree
	debil fuerte corta corto larga largo facil dificil simple compleja complejo segura seguro insegura nueva nuevo vieja viejo mala malo buena bueno misma mismo distinta distinto diferente correcta correcto
	invalida valida importante igual secreta secreto algo nada publica personal esta aqui otra otro estupenda incorrecto vacio
	fraca fraco forte curta curto longa longo dificil complexa complexo segura nova novo velha velho boa mesma mesmo errada errado correta correto importante outra outro certa certo secreta igual tudo aqui
	debole corta corto lunga lungo semplice complessa sicura sicuro insicura nuova nuovo vecchia vecchio cattiva buona stessa stesso diversa diverso sbagliata giusta giusto corretta corretto scaduta rubata
	bloccata persa valida segreta segreto importante altra altro uguale niente tutto troppo`)
