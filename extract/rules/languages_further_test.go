package rules

// further are the facts of the other tables, in the order of facts.
var further = map[string][]string{
	"zh": {
		"我叫王小明。", "我今年34岁。", "我住在里斯本。", "我来自挪威。", "我是一名护士。", "我在西门子工作。", "我的专业是医学。", "我已婚。", "我是素食者。", "我对花生过敏。", "我养了两只狗。", "我的狗叫旺财。",
		"我有一个姐姐。", "我喜欢爵士乐。", "我最喜欢的颜色是绿色。", "我的爱好是编织。", "我会说意大利语。", "我会弹钢琴。", "我的目标是成为律师。", "我用Linux。",
	},
	"ru": {
		"Меня зовут Анна.", "Мне 34 года.", "Я живу в Лиссабоне.", "Я родом из Норвегии.", "Я работаю медсестрой.", "Я работаю в Сименсе.", "Я учусь на врача.", "Я замужем.", "Я вегетарианка.", "У меня аллергия на арахис.",
		"У меня две собаки.", "Мою собаку зовут Рекс.", "У меня есть сестра.", "Я люблю джаз.", "Мой любимый цвет — зелёный.", "Моё хобби — вязание.", "Я говорю по-итальянски.", "Я играю на пианино.", "Моя цель — стать юристом.", "Я использую Linux.",
	},
	"ja": {
		"私の名前は田中です。", "私は34歳です。", "私はリスボンに住んでいます。", "私はノルウェー出身です。", "私は看護師です。", "私はシーメンスで働いています。", "専攻は医学です。", "私は結婚しています。", "私はベジタリアンです。", "私はピーナッツアレルギーです。",
		"犬を2匹飼っています。", "犬の名前はポチです。", "妹がいます。", "私はジャズが好きです。", "私の好きな色は緑です。", "私の趣味は編み物です。", "私はイタリア語を話します。", "私はピアノを弾きます。", "私の目標は弁護士になることです。", "私はLinuxを使っています。",
	},
	"ko": {
		"제 이름은 김민수입니다.", "저는 34살이에요.", "저는 리스본에 살아요.", "저는 노르웨이 출신입니다.", "저는 간호사예요.", "저는 지멘스에서 일해요.", "제 전공은 의학이에요.", "저는 결혼했어요.", "저는 채식주의자예요.", "저는 땅콩 알레르기가 있어요.",
		"저는 강아지를 두 마리 키워요.", "제 강아지 이름은 초코예요.", "저는 여동생이 있어요.", "저는 재즈를 좋아해요.", "제가 가장 좋아하는 색은 초록색이에요.", "제 취미는 뜨개질이에요.", "저는 이탈리아어를 할 수 있어요.", "저는 피아노를 쳐요.", "제 목표는 변호사가 되는 것입니다.", "저는 리눅스를 사용해요.",
	},
	"tr": {
		"Benim adım Ayşe.", "34 yaşındayım.", "Lizbon'da yaşıyorum.", "Ben Norveç doğumluyum.", "Ben hemşireyim.", "Siemens'te çalışıyorum.", "Üniversitede tıp okuyorum.", "Ben evliyim.", "Ben vejetaryenim.", "Fıstığa alerjim var.",
		"İki köpeğim var.", "Köpeğimin adı Karabaş.", "Bir kız kardeşim var.", "Caz müziği seviyorum.", "En sevdiğim renk yeşil.", "Hobim örgü örmek.", "İtalyanca konuşuyorum.", "Piyano çalıyorum.", "Hedefim avukat olmak.", "Ben Linux kullanıyorum.",
	},
	"ar": {
		"اسمي أحمد.", "عمري 34 سنة.", "أعيش في لشبونة.", "أنا من النرويج.", "أنا ممرضة.", "أعمل في شركة سيمنز.", "أدرس الطب.", "أنا متزوجة.", "أنا نباتية.", "لدي حساسية من الفول السوداني.",
		"عندي كلبان.", "اسم كلبي ركس.", "لدي أخت.", "أحب موسيقى الجاز.", "لوني المفضل هو الأخضر.", "هوايتي الحياكة.", "أتحدث الإيطالية.", "أعزف على البيانو.", "هدفي أن أصبح محاميا.", "أستخدم لينكس.",
	},
	"nl": {
		"Mijn naam is Sanne.", "Ik ben 34 jaar oud.", "Ik woon in Lissabon.", "Ik kom uit Noorwegen.", "Ik werk als verpleegkundige.", "Ik werk bij Siemens.", "Ik studeer geneeskunde.", "Ik ben getrouwd.", "Ik ben vegetariër.", "Ik heb een allergie voor pinda's.",
		"Ik heb twee honden.", "Mijn hond heet Rex.", "Ik heb een zus.", "Ik hou van jazz.", "Mijn favoriete kleur is groen.", "Mijn hobby is breien.", "Ik spreek Italiaans.", "Ik speel piano.", "Mijn doel is om advocaat te worden.", "Ik gebruik Linux.",
	},
}

func init() {
	for _, language := range sortedKeys(further) {
		spoken = append(spoken, language)
		for i, sentence := range further[language] {
			facts[i].said[language] = sentence
		}
	}
	wordings["zh"] = [][3]string{
		{"我住在苏州。", "我现在住在苏州。", "我居住在苏州。"}, {"我喜欢爵士乐。", "我很喜欢爵士乐。", "我热爱爵士乐。"}, {"我最喜欢的颜色是绿色。", "绿色是我最喜欢的颜色。", "我最爱的颜色是绿色。"}, {"我是护士。", "我是一名护士。", "我的职业是护士。"},
		{"我对花生过敏。", "我花生过敏。", "我对花生严重过敏。"},
	}
	wordings["ru"] = [][3]string{
		{"Я живу в Твери.", "Живу в Твери.", "Я проживаю в Твери."}, {"Я люблю джаз.", "Мне нравится джаз.", "Обожаю джаз."}, {"Мой любимый цвет — зелёный.", "Мой любимый цвет это зелёный.", "Мой любимый цвет: зелёный."},
		{"Я работаю медсестрой.", "Работаю медсестрой.", "Я сейчас работаю медсестрой."}, {"У меня аллергия на арахис.", "Я аллергик на арахис.", "У меня есть аллергия на арахис."},
	}
	wordings["ja"] = [][3]string{
		{"私は奈良に住んでいます。", "奈良に住んでいる。", "私は今奈良に住んでいます。"}, {"私はジャズが好きです。", "ジャズが大好きです。", "ジャズが好き。"}, {"私の好きな色は緑です。", "私の一番好きな色は緑です。", "好きな色は緑です。"},
		{"私は看護師です。", "看護師として働いています。", "仕事は看護師です。"}, {"私は卵アレルギーです。", "卵アレルギーがあります。", "卵アレルギーなんです。"},
	}
	wordings["ko"] = [][3]string{
		{"저는 대구에 살아요.", "저는 지금 대구에 살고 있어요.", "나는 대구에 살아."}, {"저는 재즈를 좋아해요.", "나는 재즈를 좋아해.", "저는 재즈를 즐겨요."}, {"제가 가장 좋아하는 색은 초록색이에요.", "제가 제일 좋아하는 색은 초록색이에요.", "내가 가장 좋아하는 색은 초록색이야."},
		{"저는 간호사예요.", "제 직업은 간호사예요.", "저는 간호사로 일하고 있어요."}, {"저는 땅콩 알레르기가 있어요.", "나는 땅콩 알레르기가 있어.", "저는 땅콩에 알레르기가 있어요."},
	}
	wordings["tr"] = [][3]string{
		{"Ben Bursa'da yaşıyorum.", "Bursa'da oturuyorum.", "Şu an Bursa'da yaşıyorum."}, {"Caz müziği seviyorum.", "Caz müziği severim.", "Ben caz müziği seviyorum."}, {"En sevdiğim renk yeşil.", "Benim en sevdiğim renk yeşil.", "En sevdiğim renk yeşil, evet."},
		{"Ben hemşireyim.", "Ben bir hemşireyim.", "Ben hemşireyim ve İzmir'de yaşıyorum."}, {"Fıstığa alerjim var.", "Fıstığa karşı alerjim var.", "Benim fıstığa alerjim var."},
	}
	wordings["ar"] = [][3]string{
		{"أعيش في طنجة.", "أسكن في طنجة.", "أنا أعيش في طنجة."}, {"أحب الجاز.", "أعشق الجاز.", "أنا أحب الجاز."}, {"لوني المفضل هو الأخضر.", "لوني المفضل الأخضر.", "بالمناسبة، لوني المفضل هو الأخضر."},
		{"أنا ممرضة.", "أعمل ممرضة.", "مهنتي ممرضة."}, {"لدي حساسية من البيض.", "عندي حساسية من البيض.", "أعاني من حساسية من البيض."},
	}
	wordings["nl"] = [][3]string{
		{"Ik woon in Utrecht.", "Ik woon momenteel in Utrecht.", "Ook ik woon in Utrecht."}, {"Ik hou van jazz.", "Ik houd van jazz.", "Ik hou echt van jazz."}, {"Mijn favoriete kleur is groen.", "Groen is mijn favoriete kleur.", "Mijn lievelingskleur is groen."},
		{"Ik werk als verpleegkundige.", "Ik ben verpleegkundige.", "Ik ben werkzaam als verpleegkundige."}, {"Ik heb een allergie voor eieren.", "Ik heb een zware allergie voor eieren.", "Ook heb ik een allergie voor eieren."},
	}
}
