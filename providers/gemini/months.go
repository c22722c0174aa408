package gemini

import "strings"

// months are the names of the months in the languages of pages, short and long, without the dot of
// an abbreviation. No name means two months.
var months = monthTable(
	"jan january januar jänner januari januar janv janvier ene enero jan janeiro gen gennaio ian ianuarie oca ocak sty styczeń stycznia янв январь января ιαν ιανουαρίου ιανουάριος tammi tammikuuta led ledna leden januar január يناير",
	"feb february februar februari fév févr février febrero fev fevereiro febbraio februarie şub şubat lut luty lutego февр фев февраль февраля φεβ φεβρουαρίου φεβρουάριος helmi helmikuuta únor února úno február فبراير",
	"mar march mär märz mrz mrt maart mars marzo março martie mart marzec marca марта март мар μαρ μάρ μαρτ μαρτίου μάρτιος maalis maaliskuuta března březen bře március már مارس",
	"apr april avr avril abr abril aprile aprilie nis nisan kwi kwiecień kwietnia апр апрель апреля απρ απριλίου απρίλιος huhti huhtikuuta dubna duben dub április ápr أبريل ابريل إبريل",
	"may mai mei maj mayo maio mag maggio mayıs мая май μαΐ μαι μάι μαΐου μαΐου μάιος touko toukokuuta května květen kvě május máj maja مايو",
	"jun june juni juin junio junho giu giugno iun iunie haz haziran cze czerwiec czerwca июнь июня июн ιουν ιούν ιουνίου ιούνιος kesä kesäkuuta června červen čvn június jún يونيو يونيه",
	"jul july juli juil juillet julio julho lug luglio iul iulie tem temmuz lip lipiec lipca июль июля июл ιουλ ιούλ ιουλίου ιούλιος heinä heinäkuuta července červenec čvc július júl يوليو يوليه",
	"aug august augustus augusti août aou aoû ago agosto ağu ağustos sie sierpień sierpnia авг август августа αυγ αύγ αυγούστου αύγουστος elo elokuuta srpna srpen srp augusztus أغسطس اغسطس",
	"sep sept september septembre septiembre set setembro settembre septembrie eyl eylül wrz wrzesień września сент сен сентябрь сентября σεπ σεπτ σεπτεμβρίου σεπτέμβριος syys syyskuuta září zář szeptember szept سبتمبر",
	"oct okt october oktober octobre octubre out outubro ott ottobre octombrie eki ekim paź październik października окт октябрь октября οκτ οκτωβρίου οκτώβριος loka lokakuuta října říjen říj október أكتوبر اكتوبر",
	"nov november novembre noviembre novembro noiembrie kas kasım lis listopad listopada нояб ноя ноябрь ноября νοε νοέ νοεμ νοεμβρίου νοέμβριος marras marraskuuta listopadu نوفمبر",
	"dec dez december dezember déc décembre dic diciembre dezembro dicembre decembrie ara aralık gru grudzień grudnia дек декабрь декабря δεκ δεκεμβρίου δεκέμβριος joulu joulukuuta prosince prosinec pro des desember ديسمبر",
)

func monthTable(names ...string) map[string]int {
	out := map[string]int{}
	for i, list := range names {
		for _, n := range strings.Fields(list) {
			out[n] = i + 1
		}
	}
	return out
}

// halves are the names of the halves of a day; true is the second one.
var halves = map[string]bool{
	"am": false, "a.m.": false, "a.m": false, "pm": true, "p.m.": true, "p.m": true, // en, es
	"fm": false, "em": true, // sv
	"π.μ.": false, "π.μ": false, "μ.μ.": true, "μ.μ": true, // el
	"öö": false, "ös": true, // tr
	"午前": false, "午後": true, // ja
	"上午": false, "下午": true, "凌晨": false, "早上": false, "清晨": false, "中午": true, "晚上": true, // zh
	"오전": false, "오후": true, // ko
	"ص": false, "م": true, // ar
	"de.": false, "du.": true, // hu
}

// fillers are words of a date that say nothing.
var fillers = map[string]bool{
	"de": true, "del": true, "of": true, "г": true, "года": true, "um": true, "klo": true, "kl": true, "à": true, "at": true, "a": true, "las": true,
	"la": true, "às": true, "den": true, "om": true, "o": true, "le": true, "ore": true, "alle": true, "στις": true, "в": true, "uhr": true,
}
