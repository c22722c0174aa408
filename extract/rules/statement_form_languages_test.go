package rules

import (
	"slices"
	"testing"
)

// TestStatementsOfOtherLanguagesAreWhole says the same of other languages: what points outside of
// itself, is cut off, doubted or made up is dropped, and what looks like it is kept.
func TestStatementsOfOtherLanguagesAreWhole(t *testing.T) {
	x := New()
	for _, c := range []struct {
		language, text string
		want           []string
	}{
		{"de", "Ich liebe seine Stimme.", nil},
		{"de", "Mein Bruder liebt seine Stimme.", []string{"Bruder liebt seine Stimme.", "Hat einen Bruder."}},
		{"de", "Ich habe Angst, dass ich schwanger bin.", nil},
		{"de", "Ich glaube, dass ich Diabetes habe.", []string{"Hat Diabetes."}},
		{"de", "Ich möchte lernen, wie man Brot backt.", nil},
		{"de", "Mein Bruder wohnt bei mir.", []string{"Bruder wohnt bei ihm.", "Hat einen Bruder."}},
		{"de", "Drehbuch:\nIch habe einen Hund.", nil},
		{"fr", "J'aime son style.", nil},
		{"fr", "Je suis ingénieur du son.", []string{"Travaille comme ingénieur du son."}},
		{"fr", "Mon chat adore son arbre.", []string{"Son chat adore son arbre."}},
		{"fr", "Mon mari me quitte.", []string{"Son mari le quitte.", "A un mari."}},
		{"fr", "Je veux me marier cette année.", []string{"Veut se marier en 2024."}},
		{"fr", "J'ai confondu deux prénoms dans mon texte.", nil},
		{"fr", "J'ai une amie qui habite en Chine.", []string{"A une amie qui habite en Chine."}},
		{"fr", "Synopsis :\nJ'habite un château.", nil},
		{"fr", "Tu es ma petite amie et tu t'appelles Léa.", nil},
		{"es", "Me gusta su forma de hablar.", nil},
		{"es", "Vivo con mi madre y su marido.", []string{"Vive con su madre y su marido."}},
		{"es", "Quiero hacerlo bien.", nil},
		{"es", "Dame ideas para mi canal.", []string{"Tiene un canal."}},
		{"es", "Mi jefe me va a despedir.", []string{"Su jefe le va a despedir."}},
		{"es", "Juego de rol:\nMi hermana Lola vive en Roma. Tengo un perro.", nil},
		{"it", "Mi piace la sua voce.", nil},
		{"it", "Il mio cane mangia il suo cibo piano.", []string{"Il suo cane mangia il suo cibo piano."}},
		{"it", "Il mio ragazzo mi tradisce.", []string{"Il suo ragazzo lo tradisce.", "Ha un ragazzo."}},
		{"it", "Scrivo tutto con LibreOffice da quando studio.", []string{"Scrive tutto con LibreOffice."}},
		{"pt", "Gosto do jeito dela.", nil},
		{"pt", "Minha mãe me ensinou a cozinhar.", []string{"Sua mãe lhe ensinou a cozinhar."}},
		{"pt", "Enredo:\nTenho um cachorro.", nil},
		{"nl", "Ik hou van haar stem.", nil},
		{"nl", "Ik hou van de zee.", []string{"Houdt van de zee."}},
		{"ru", "Люблю его голос.", nil},
		{"ru", "Люблю море.", []string{"Любит море."}},
		{"ru", "теперь придумай короткую историю", nil},
		{"ru", "Я учу ребенка рисовать.", nil},
		{"ru", "Я учу японский.", []string{"Изучает японский."}},
		{"ru", "Сюжет:\nУ меня есть собака.", nil},
		{"zh", "我喜欢他的声音。", nil},
		{"zh", "我喜欢吉他。", []string{"喜欢吉他。"}},
		{"zh", "我平时爱好是摄影。", []string{"爱好是摄影。"}},
		{"zh", "情节：\n我有一只狗。", nil},
		{"zh", "你是我的女朋友，叫小丽。", nil},
		{"zh", "我的女朋友叫小丽。", []string{"女朋友叫小丽。", "伴侣叫小丽。", "有女朋友。"}},
		{"de", "Ich habe zwei Jahre in Kiel gewohnt.这样写对吗", nil},
		{"de", "Ich möchte die Möglichkeit haben, öfter zu reisen.", nil},
		{"de", "Ich bin Gärtner in Kiel.", []string{"Arbeitet als Gärtner."}},
		{"fr", "Je suis A.B. Castel.", nil},
		{"fr", "J'aime pas de sauce, je veux autre chose.", nil},
		{"it", "Ho osservato alcune farfalle.", nil},
		{"es", "Recuerdo que me perdía a menudo.", nil},
		{"ru", "Продолжим игру. У меня есть жена Ольга.", nil},
		{"ru", "Я дизайнер этой игры.", nil},
		{"zh", "我最近不能吃甜食。", nil},
		{"zh", "我不吃甜食。", []string{"不吃甜食。"}},
		{"zh", "我现在在广州，有什么好玩的？", nil},
		{"zh", "我现在在广州生活。", []string{"住在广州。"}},
		{"ja", "これが好きです。", nil},
		{"tr", "Onu seviyorum.", nil},
	} {
		got, report := x.Extract(talked(c.text), nil)
		var contents []string
		for i := range got {
			contents = append(contents, got[i].Content)
		}
		if !slices.Equal(contents, c.want) {
			t.Errorf("%s: %q gives %q, not %q; passed over: %v", c.language, c.text, contents, c.want, report.Skipped)
		}
	}
}
