package rules

import (
	"math/rand/v2"
	"strings"

	"github.com/pamline/pamline/pamio"
)

// phrasebook is what the chatter of a language is made of; # stands for one of the nouns.
type phrasebook struct {
	language string
	nouns    []string
	stated   []string // says something about the person
	asked    []string
	thought  []string
	told     []string // of other things
}

var phrasebooks = []phrasebook{
	{
		"de", strings.Fields("Hund Garten Zug Fluss Markt Roman Berg Keller Wagen Ofen Turm Koffer"),
		[]string{"Ich mag den neuen #.", "Ich habe einen alten #.", "Mein # ist blau, und ich koche gern neben dem #.", "Ich wohne seit zwei Jahren neben dem #."},
		[]string{"Kannst du mir erklären, wie ein # funktioniert, wenn der # geschlossen ist?", "Warum ist der # teurer als der #?"},
		[]string{"Ich glaube, dass der # besser wäre, wenn er einen # hätte.", "Ich weiß nicht, ob der # noch offen ist."},
		[]string{"Der # neben dem # wurde lange vor dem # gestrichen.", "Er sagte, dass der # zum # der Stadt gehört.", "Die Leute aus dem Dorf brachten den # zurück, bevor der # verkauft wurde."},
	},
	{
		"en", strings.Fields("dog garden camera train bakery river violin kitchen mountain novel market bicycle"),
		[]string{"I really love the #.", "I bought a new #.", "I don't like my old #.", "My # is too old, and I cook near the #."},
		[]string{"Can you explain how a # works when the # is closed?", "Why is the # more expensive than the #?"},
		[]string{"I think that the # would be better if it had a #.", "I don't know whether the # is still open."},
		[]string{"The # near the # was painted long before the # and the #.", "He said the # belongs to the # of the town.", "The people of the village brought the # back before the # was sold."},
	},
	{
		"es", strings.Fields("perro jardín tren río mercado libro monte sótano coche horno violín castillo"),
		[]string{"Me gusta mucho el #.", "Tengo un # nuevo.", "Mi # es muy viejo, y cocino cerca del #.", "Vivo desde hace dos años cerca del #."},
		[]string{"¿Puedes explicarme cómo funciona un # cuando el # está cerrado?", "¿Por qué el # es más caro que el #?"},
		[]string{"Creo que el # sería mejor si tuviera un #.", "No sé si el # sigue abierto."},
		[]string{"El # al lado del # fue pintado mucho antes que el # y el #.", "Dijo que el # pertenece al # de la ciudad.", "La gente del pueblo devolvió el # antes de que se vendiera el #."},
	},
	{
		"fr", strings.Fields("chien jardin train fleuve marché roman château violon four grenier vélo musée"),
		[]string{"J'aime beaucoup le #.", "J'ai acheté un nouveau #.", "Mon # est trop vieux, et je cuisine près du #.", "J'habite depuis deux ans à côté du #."},
		[]string{"Peux-tu m'expliquer comment marche un # quand le # est fermé ?", "Pourquoi le # est-il plus cher que le # ?"},
		[]string{"Je pense que le # serait mieux s'il avait un #.", "Je ne sais pas si le # est encore ouvert."},
		[]string{"Le # à côté du # a été peint bien avant le # et le #.", "Il a dit que le # appartient au # de la ville.", "Les gens du village ont rapporté le # avant que le # ne soit vendu."},
	},
	{
		"it", strings.Fields("cane giardino treno fiume mercato romanzo monte violino forno castello museo baule"),
		[]string{"Mi piace molto il #.", "Ho comprato un # nuovo.", "Il mio # è troppo vecchio, e cucino vicino al #.", "Abito da due anni vicino al #."},
		[]string{"Puoi spiegarmi come funziona un # quando il # è chiuso?", "Perché il # è più caro del #?"},
		[]string{"Penso che il # sarebbe meglio se avesse un #.", "Non so se il # è ancora aperto."},
		[]string{"Il # accanto al # è stato dipinto molto prima del # e del #.", "Ha detto che il # appartiene al # della città.", "La gente del paese ha riportato il # prima che il # fosse venduto."},
	},
	{
		"pt", strings.Fields("cachorro jardim trem rio mercado livro monte violino forno castelo museu armário"),
		[]string{"Gosto muito do #.", "Eu comprei um # novo.", "Meu # é muito velho, e eu cozinho perto do #.", "Moro há dois anos perto do #."},
		[]string{"Você pode me explicar como funciona um # quando o # está fechado?", "Por que o # é mais caro que o #?"},
		[]string{"Eu acho que o # seria melhor se tivesse um #.", "Não sei se o # ainda está aberto."},
		[]string{"O # ao lado do # foi pintado muito antes do # e do #.", "Ele disse que o # pertence ao # da cidade.", "As pessoas da vila trouxeram o # de volta antes que o # fosse vendido."},
	},
}

// sentence makes one of a language. One in fifteen states something about the person, which is more
// than in real chats with assistants.
func (p *phrasebook) sentence(r *rand.Rand) string {
	list := p.told
	switch n := r.IntN(30); {
	case n < 2:
		list = p.stated
	case n < 7:
		list = p.asked
	case n < 11:
		list = p.thought
	}
	var b strings.Builder
	for i, part := range strings.Split(list[r.IntN(len(list))], "#") {
		if i > 0 {
			b.WriteString(p.nouns[r.IntN(len(p.nouns))])
		}
		b.WriteString(part)
	}
	return b.String()
}

// messages makes messages of one to twelve sentences, about so many bytes together.
func (p *phrasebook) messages(seed uint64, size int) []pamio.Message {
	r := rand.New(rand.NewPCG(seed, seed))
	var all []pamio.Message
	for total := 0; total < size; {
		var b strings.Builder
		for range 1 + r.IntN(12) {
			b.WriteString(p.sentence(r))
			b.WriteString([]string{" ", " ", " ", "\n"}[r.IntN(4)])
		}
		text := b.String()
		total += len(text)
		all = append(all, pamio.Message{ID: "m", Role: "user", Content: &pamio.Content{Type: "text", Text: &text}})
	}
	return all
}

func conversationOf(messages []pamio.Message) *pamio.Conversation {
	doc := &pamio.Conversation{ID: "bench", Messages: messages}
	doc.Provider.Name = "local"
	return doc
}

// chatter is a conversation of all languages, a part in each.
func chatter(seed uint64, size int) *pamio.Conversation {
	var all []pamio.Message
	for i := range phrasebooks {
		all = append(all, phrasebooks[i].messages(seed, size/len(phrasebooks))...)
	}
	return conversationOf(all)
}
