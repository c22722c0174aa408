package near

import "strings"

// denying are the words that turn a statement round, folded, in the languages that are read:
// English, Spanish, Portuguese, French, German, Italian. A word that means something else in
// another language only makes the comparison stricter.
var denying = words(`
	not no never none nor neither without cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt couldnt shouldnt
	hasnt havent hadnt nothing nobody nowhere hardly
	nunca jamas sin ningun ninguno ninguna nada nadie tampoco ni
	nao jamais sem nenhum nenhuma ninguem nem
	ne pas sans aucun aucune rien personne plus
	nicht kein keine keinen keinem keiner keines nie niemals ohne nichts niemand kaum
	non mai senza nessun nessuno nessuna niente nulla`)

func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// denials are the denying words, in order.
func denials(folded string) string {
	var found []string
	for w := range strings.FieldsSeq(folded) {
		if denying[w] {
			found = append(found, w)
		}
	}
	return strings.Join(found, " ")
}
