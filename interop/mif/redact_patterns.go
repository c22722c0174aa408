package mif

import (
	"regexp"
	"sync"
)

// pattern finds candidates of a type; valid judges one, nil takes all.
type pattern struct {
	name  string
	form  *regexp.Regexp
	valid func(string) bool
}

// Parts of patterns. A cue is a word that says what follows; is are the words between both.
const (
	is    = `\s*(?:[:=：#]|\b(?:is|ist|est|es|are|on|op|at|lautet)\b(?:\s+(?:on|at)\b)?|è|é|är)?\s*`
	upper = `\p{Lu}[\p{L}'’-]+`
	names = upper + `(?:\s+(?:(?:van|von|der|den|de|di|da|del|dos|la|le|bin|al)\s+){0,2}` + upper + `){0,3}`
	// town may follow a street.
	town = `(?:,\s*(?:[A-Z]{1,2}-)?(?:\d{4,5}\s+)?` + upper + `(?:,\s*[A-Z]{2}\s+\d{5})?)?`
	// houses is the number of a house.
	houses = `\d{1,4}(?:\s?[a-zA-Z]\b)?`
	day    = `\d{1,2}(?:\.|st|nd|rd|th|er)?`
	// month has small letters in many languages.
	month = `\p{L}{3,12}\.?`
	date  = `(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./-]\s?\d{1,2}[./-]\s?\d{2,4}|` + day + `\s+(?:of\s+|de\s+)?` + month + `,?\s+(?:de\s+)?\d{4}|` + month + `\s+` + day + `,?\s+\d{4})`
)

// patterns are tried in this order: what one has taken is not looked at by the next. Group 1 is
// what is redacted, if there is one. They are compiled when they are first needed: most processes
// redact nothing, and all would start 4 ms later.
var patterns = sync.OnceValue(func() []pattern {
	return []pattern{
		{"private_key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)|\bAGE-SECRET-KEY-1[0-9A-Z]{40,}`), nil},
		{"token", regexp.MustCompile(`\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}|\bsk-[\w-]{16,}|\b[sr]k_(?:live|test)_\w{16,}|\bwhsec_\w{16,}|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bxox[abprs]-[\w-]{10,}|\bxapp-[\w-]{16,}|\bglpat-[\w-]{16,}|\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bnpm_\w{30,}|\bhf_\w{24,}|\bpypi-[\w-]{30,}|\bdop_v1_\w{30,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\b\d{8,10}:[A-Za-z][\w-]{33,34}\b|https://hooks\.slack\.com/services/[\w/]+`), nil},
		{"token", regexp.MustCompile(`\bBearer\s+([\w.~+/-]{20,}=*)`), hasDigit},
		{"secret", regexp.MustCompile(`\b[a-z][a-z0-9+.-]*://[^\s/:@]+:([^\s/@]+)@`), nil},
		{"secret", regexp.MustCompile(`(?i)(?:\b(?:api[ _-]?key|secret(?:[ _-](?:access[ _-])?key)?|access[ _-]?token|token|password|passwd|pwd|passphrase|passcode|pin(?:[ -]?code)?|passwort|kennwort|geheimzahl|mot de passe|code secret|clave|senha|wachtwoord|pincode|salasana)|contraseña|lösenord|hasło|пароль|密码|パスワード)\s*(?:[:=：]|は|是|\b(?:is|ist|est|es|was|lautet|on)\b|è|é|är|to)\s*["'„“«]?([^\s"',;“”»]{3,}[^\s"',;.“”»])`), isSecret},
		{"secret", regexp.MustCompile(`(?i)\b[\w-]*(?:secret|token|passw(?:or)?d|api_?key|access_?key|private_?key)[\w-]*["']?\s*[:=]\s*["']?([^\s"',;]{3,}[^\s"',;.])`), isSecret},
		{"secret", regexp.MustCompile(`(?i)\b(?:pin|pin[ -]?code|passcode|unlock code|door code)(?:\s+is)?\s+(\d{4,8})\b`), nil},
		{"email", regexp.MustCompile(`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}|[\w.%+-]+ ?[\[(]at[\])] ?[\w-]+(?: ?(?:[\[(]dot[\])]|\.) ?[\w-]+)+`), nil},
		{"iban", regexp.MustCompile(`\b[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,3})?\b`), isIBAN},
		{"wallet", regexp.MustCompile(`\bbc1[02-9ac-hj-np-z]{25,60}\b|\b0x[0-9a-fA-F]{40}\b`), hasDigit},
		{"card", regexp.MustCompile(`\b\d(?:[ -]?\d){12,18}\b`), isCard},
		{"ssn", regexp.MustCompile(`\b\d{3}-\d{2}-\d{4}\b`), isSSN},
		{"ssn", regexp.MustCompile(`(?i)\b(?:ssn|social security(?: (?:number|no\.?))?)\b\D{0,6}(\d{9}|\d{3} \d{2} \d{4})\b`), isSSN},
		{"national_id", regexp.MustCompile(`\b[XYZ]?\d{7,8}-?[A-HJ-NP-TV-Z]\b|\b[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]\b|\b[12] ?\d{2} ?\d{2} ?\d{2} ?\d{3} ?\d{3} ?\d{2}\b|\b\d{6}[-+A]\d{3}[0-9A-FHJ-NPR-Y]\b|\b\d{11}\b|\b\d{3}\.\d{3}\.\d{3}-\d{2}\b|\b(?:QQ|[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]) ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b|\b756\.\d{4}\.\d{4}\.\d{2}\b|\b(?:19|20)?\d{6}[-+]\d{4}\b`), isNationalID},
		{"national_id", regexp.MustCompile(`(?i:\b(?:passport|reisepass(?:nummer)?|passeport|pasaporte|passaporto|paspoort(?:nummer)?|driver'?s? licen[cs]e|driving licen[cs]e|führerschein(?:nummer)?|personalausweis(?:nummer)?|national insurance|tax id|steuer-?id(?:entifikationsnummer)?|bsn|nif|nie|curp|pesel|aadhaar)\b)(?i:\s*(?:number|nummer|no\.?|n[º°.]|numéro|numero))?` + is + `([A-Z0-9](?:[ -]?[A-Z0-9]){5,13})\b`), hasManyDigits},
		{"phone", regexp.MustCompile(`\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){1,4}\b|\(\d{3}\) ?\d{3}[-. ]\d{4}\b|\b(?:1[-. ])?\d{3}[-.]\d{3}[-.]\d{4}\b|\b[2-9]\d{2} [2-9]\d{2} \d{4}\b|\b0\d{2,4} \d{3,4} ?\d{3,4}\b|\b0[1-9](?:[ .]\d{2}){4}\b|\b0\d{1,4}[/-] ?\d{5,8}\b|\b00[1-9]\d{0,2}(?:[ .-]?\d{1,4}){3,6}\b|\(0\d{1,4}\) ?\d{3,4}[ -]?\d{3,4}\b`), isPhone},
		{"phone", regexp.MustCompile(`(?i)(?:\b(?:phone|telephone|mobile|cell(?:phone)?|tel|telefon(?:nummer|o|em)?|handy(?:nummer)?|rufnummer|celular|puhelin(?:numero(?:ni)?)?|mobil(?:nummer)?|gsm|fax|whatsapp|call me|text me|ring)|téléphone|teléfono|móvil|телефон|电话|電話)\.?\s*(?:number|nummer|numéro|numero)?` + is + `(\(?\d[\d ()./-]{5,17}\d)`), isPhone},
		{"ip_address", regexp.MustCompile(`\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b|\b[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){2,7}\b`), isAddress},
		{"mac_address", regexp.MustCompile(`\b[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}\b`), hasDigit},
		{"birth_date", regexp.MustCompile(`(?i:\b(?:born(?: on)?|date of birth|birth ?date|dob|geboren am|geburtsdatum|geburtstag ist(?: am)?|date de naissance|fecha de nacimiento|nac(?:í|ió|ida|ido)(?: el)?|nat[oa] il|data di nascita|nascid[oa] (?:em|a)|data de nascimento|geboren op|geboortedatum|syntynyt|syntymäaika|född(?: den)?|urodzon[ya]|data urodzenia)|\bnée? le|дата рождения|родил(?:ся|ась))` + is + `(` + date + `)`), nil},
		{"birth_date", regexp.MustCompile(`(?i:\bbirthday is)(?:\s+on)?\s+(` + date + `|(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+` + day + `|` + day + `\s+(?:of\s+)?(?:January|February|March|April|May|June|July|August|September|October|November|December))`), nil},
		{"address", regexp.MustCompile(`\b\d{1,5}[A-Za-z]?\s+(?:\p{Lu}[\p{L}'’.-]+\s+){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Boulevard|Blvd|Court|Square|Terrace|Place|Crescent|Close|Highway|Way|Parkway|Pkwy|Plaza|Row|Walk|Gardens|Grove|Hill|Mews|Quay)\b(?:,\s*(?:Apt|Apartment|Suite|Unit|Flat)\.?\s*\w+)?` + town), nil},
		{"address", regexp.MustCompile(`\p{Lu}[\p{L}-]*(?:katu|kuja|polku|gatan|vägen|gata|gade|straße|strasse|str\.|allee|gasse|weg|laan|straat|gracht)\s+` + houses + town), nil},
		{"address", regexp.MustCompile(`\b\p{Lu}[\p{L}-]+(?:\s+|-)(?:Straße|Strasse|Str\.|Allee|Weg|Platz|Ring|Ufer)\s+` + houses + town), hasNoArticle},
		{"address", regexp.MustCompile(`\b` + houses + `(?:\s?(?:bis|ter))?,?\s+(?i:rue|avenue|boulevard|place|chemin|impasse|allée|quai)\s+(?:(?:de la|de|du|des|la|le|les)\s+|[ld]['’])*` + upper + `(?:\s+` + upper + `)*` + town), nil},
		{"address", regexp.MustCompile(`\b(?:Calle|C/|Avenida|Avda\.?|Plaza|Paseo|Via|Viale|Piazza|Corso|Rua|Avenida|Travessa|ul\.|ulica)\s+(?:(?:de|del|la|las|los|el|da|do|dos|das|della|dei|di)\s+)*` + upper + `(?:\s+` + upper + `)*,?\s+(?:n[.º°]\s*)?` + houses + town), nil},
		{"name", regexp.MustCompile(`(?:(?i:\b(?:(?:my|his|her|their|our|user['’]?s|(?:wife|husband|partner|son|daughter|mother|father|sister|brother|boss|manager|doctor|therapist|landlord|neighbou?r|friend|colleague|teacher|child|kid)['’]?s)\s+(?:full\s+|first\s+|last\s+|maiden\s+|middle\s+|family\s+|legal\s+)?(?:sur)?name\s+(?:is|was)|maiden name\s*(?:is|was|:)|full name\s*:|ich hei(?:ß|ss)e|(?:mein|ihr|sein) (?:voller |vollständiger )?name ist|je m['’]appelle|mon nom est|me llamo|mi nombre es|mi chiamo|il mio nome è|me chamo|meu nome é|ik heet|mijn naam is|nimeni on|jag heter|mitt namn är|jeg heter|mit navn er|nazywam się))|(?i:меня зовут)|私の名前は)\s*(` + names + `|[一-龥]{2,4})`), nil},
		{"name", regexp.MustCompile(`\b(?:Mr|Mrs|Ms|Herrn?|Frau|Mme|Mlle|Monsieur|Madame|Señora?|Sra|Signora|Signor)\.?\s+(` + names + `)`), nil},
		{"name", regexp.MustCompile(`(?m)(?i:\b(?:signed|sincerely|(?:best|kind|warm) regards|yours (?:truly|faithfully|sincerely)|mit freundlichen grüßen|cordialement|saludos|un saludo))[,:]?\s+(` + upper + `(?:\s+` + upper + `){1,2})`), nil},
	}
})
