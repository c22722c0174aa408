package gate

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// fake makes a value of so many characters out of an alphabet; values are made here so that no
// scanner takes this file for a leak.
func fake(n int, alphabet string, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 7))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	// Letters and digits are there whatever was drawn.
	b[0], b[n/2] = alphabet[0], alphabet[len(alphabet)-1]
	return string(b)
}

const (
	lowerHex = "a0123456789bcdef0123456789"
	letters  = "aZbYcXdWeVfU0123456789gThSiRjQkPlOmNn7"
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	wallets  = "K123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz8"
)

// planted gives sentences with a secret in each, and the secret.
func planted() [][2]string {
	var all [][2]string
	add := func(sentence string, secret ...string) {
		s := strings.Join(secret, "")
		all = append(all, [2]string{strings.ReplaceAll(sentence, "%", s), s})
	}
	add("My AWS key is % by the way", "AK", "IA", fake(16, capitals, 1))
	add("uses % for the deploy", "AS", "IA", fake(16, capitals, 2))
	add("aws_secret_access_key = %", fake(40, letters+"/+", 3))
	add("aws secret access key: %", fake(40, letters+"/+", 4))
	for i, p := range []string{"ghp", "gho", "ghu", "ghs", "ghr"} {
		add("The token is %.", p, "_", fake(36, letters, uint64(10+i)))
	}
	add("%", "github", "_pat_", fake(22, letters, 16), "_", fake(59, letters, 17))
	add("git remote with % works", "gl", "pat-", fake(20, letters, 18))
	for i, p := range []string{"xoxb", "xoxp", "xoxa", "xoxs"} {
		add("slack: %", p, "-", fake(12, "0123456789", uint64(20+i)), "-", fake(24, letters, uint64(30+i)))
	}
	add("hook https://%", "hooks.slack", ".com/services/T", fake(8, capitals, 40), "/B", fake(8, capitals, 41), "/", fake(24, letters, 42))
	add("My OpenAI key: %", "s", "k-", fake(48, letters, 43))
	add("key %,", "s", "k-proj-", fake(40, letters+"_-", 44), "T3BlbkFJ", fake(30, letters, 45))
	add("claude %", "s", "k-ant-api03-", fake(90, letters, 46))
	add("stripe %", "s", "k_live_", fake(24, letters, 47))
	add("stripe %", "s", "k_test_", fake(24, letters, 48))
	add("stripe %", "r", "k_live_", fake(24, letters, 49))
	add("webhook %", "wh", "sec_", fake(32, letters, 50))
	add("maps key %", "AI", "za", fake(35, letters, 51))
	add("oauth %", "ya", "29.", fake(60, letters+"_-", 52))
	add("client %", "GOC", "SPX-", fake(28, letters, 53))
	add("hugging face %", "h", "f_", fake(34, letters, 54))
	add("npm %", "np", "m_", fake(36, letters, 55))
	add("%", "py", "pi-AgEIcHlwaS5vcmc", fake(60, letters, 56))
	add("%", "do", "p_v1_", fake(64, lowerHex, 57))
	add("mail %", "S", "G.", fake(22, letters, 58), ".", fake(43, letters, 59))
	add("mail %", "ke", "y-", fake(32, lowerHex, 60))
	add("shop %", "shp", "at_", fake(32, lowerHex, 61))
	add("discord bot %", "M", fake(24, letters, 62), ".", fake(6, letters, 63), ".", fake(38, letters, 64))
	add("telegram bot %", fake(10, "123456789", 65), ":AA", fake(33, letters, 66))
	add("curl -H 'Authorization: Bearer %'", fake(40, letters, 67))
	add("Authorization: Basic %", "dXNlcjpodW50", "ZXIyYWJj") // user:hunter2abc
	add("jwt %", "ey", "JhbGciOiJIUzI1NiJ9.ey", fake(60, letters, 68), ".", fake(43, letters, 69))
	add("db postgres://ada:%@db.example.com/x", "s3cr", "et-pw")
	add("amqp://guest:%@10.0.0.1:5672", "tops", "ecret")
	add("age key %", "AGE-SEC", "RET-KEY-1", fake(58, capitals, 70))
	add("here: %", "-----BEGIN ", "RSA PRIV", "ATE KEY-----\n", fake(64, letters, 71), "\n-----END RSA PRIVATE KEY-----")
	add("here: %", "-----BEGIN ", "OPENSSH PRIV", "ATE KEY-----\n", fake(64, letters, 72))
	add("here: %", "-----BEGIN ", "PGP PRIV", "ATE KEY BLOCK-----\n", fake(64, letters, 73))
	add("groq %", "gs", "k_", fake(52, letters, 74))
	add("databricks %", "da", "pi", fake(32, lowerHex, 75))
	add("vault %", "hv", "s.", fake(90, letters, 76))
	add("wallet %", "K", fake(51, wallets[1:], 77))
	add("ethereum private key: 0x%", fake(64, lowerHex, 78))
	add("DISCORD_TOKEN is nothing but API_KEY=%", fake(24, letters, 79))
	add(`config has "client_secret": "%"`, fake(24, letters, 80))
	add("the access token is %", fake(32, lowerHex, 81))
	add("my seed phrase is %", "legal winner thank year wave sausage worth ", "useful legal winner thank yellow")
	add("Recovery phrase: %", "1. letter 2. advice 3. cage 4. absurd 5. amount 6. doctor ", "7. acoustic 8. avoid 9. letter 10. advice 11. cage 12. above")
	add("Meine Wiederherstellungsphrase lautet %", "ozone drill grab fiber curtain grace ", "pudding thank cruise elder eight picnic")

	for i, s := range []string{
		"my password for gmail is %", "My password is %.", "the wifi password is %", "Password: %", "passwd=%", "pwd: %", "I changed my password to %", "our Netflix password is now %",
		"% is my password", "my Password for the company VPN (Berlin) is: %", "**Password:** `%`", "user ada, password %", "the passcode is %", "my password is still %",
		"mon mot de passe est %", "Mon mot de passe pour la banque est %", "mot de passe : %", "le mot de passe du wifi, c'est facile. Mot de passe: %",
		"mi contraseña es %", "Contraseña: %", "la contraseña del wifi es %", "la clave del banco es %",
		"minha senha é %", "Senha: %", "a senha do wifi é %", "minha senha do banco é %",
		"Mein Passwort lautet %", "Passwort: %", "mein Passwort für Amazon ist %", "Das WLAN-Passwort ist %", "das Kennwort ist %",
		"la mia password è %", "la password del wifi è %", "Parola d'ordine: %", "la mia password per la banca è %",
		"mon mot de passe Gmail est %", "contraseña Gmail: %", "senha Netflix é %", "Passwort Amazon: %", "password (gmail): %", "I use % as my password", "J'utilise % comme mot de passe",
		"my old password used to be %", "pw: %", "creds: ada/%", "mein Bankpasswort ist %", "password is **%**", "pass=%", "the password % is what she uses", "password % is easy to remember", "user: ada, pass: %", "la mia password Netflix è %",
	} {
		add(s, []string{"hunt", "Sonne", "perr", "qwe", "Tiger", "gato"}[i%6], []string{"er2abc", "nblume99", "o_1987!", "rty12345", "2020$x", "Verde7"}[i%6])
	}
	add("Password: %", "sun", "flower")
	add("my password is \"%\"", "correct horse ", "battery staple")
	add("passphrase: %", "correct horse ", "battery staple")
	add("my password is %", "letme", "In")
	add("My PIN is %", "47", "11")
	add("PIN %", "47", "11")
	add("the pin code for the door: %", "83", "91")
	add("my pin is %", "four seven", " one one")
	add("el PIN de mi tarjeta es %", "83", "91")
	add("code pin : %", "83", "91")
	add("Meine Geheimzahl ist %", "83", "91")
	add("PUK: %", "8391", "7240")
	add("The CVV is %", "1", "23")
	add("CVC: %", "9", "87")
	add("the verification code is %", "83", "9172")
	add("Your code: no. One-time code: %", "83", "9172")
	add("Mein Bestätigungscode lautet %", "83", "9172")
	add("mon code de vérification est %", "83", "9172")
	add("el código de verificación es %", "83", "9172")
	add("api key: %, that is all", fake(900, letters, 90))
	add("OTP is %", "83", "9172")
	add("backup code: %", "a8f3-", "91kd")

	for _, s := range []string{
		"4242 4242 4242 42" + "42", "55555555555" + "54444", "3782 822463 1" + "0005", "6011-1111-1111-" + "1117", "35301113333" + "00000", "3056 930902 " + "5904", "4111\u00a01111\u00a01111\u00a01" + "111",
		"DE893704004405" + "32013000", "GB29 NWBK 6016 1331 " + "9268 19", "FR14 2004 1010 0505 0001 3M02 " + "606", "ES91210004184502" + "00051332", "IT60X0542811101" + "000000123456", "nl91abna04171" + "64300",
		"219-09-" + "9999", "AB123456" + "C", "AB 12 34 56 " + "C", "8609574" + "2719", "12345678" + "Z", "X1234567" + "L", "X-1234567-" + "L", "RSSMRA85T10A" + "562S", "rssmra85t10a" + "562s",
		"111.444.777-" + "35", "11.222.333/0001-" + "81", "2 55 08 14 168 025 " + "38",
	} {
		add("Here it is for the form that she fills: %.", s)
	}
	add("my SSN is %", "2190", "99999")
	add("social security number: %", "219 09 ", "9999")
	add("CPF: %", "1114", "4477735")
	add("meu cpf é %", "1114", "4477735")
	add("passport number %", "X1234", "5678")
	add("My passport number is %", "53401", "2345")
	add("Meine Reisepassnummer ist %", "C01X", "00T47")
	add("numéro de passeport : %", "12AB", "34567")
	add("driver's license number: %", "D123", "4567")
	add("my bank account number is %", "0012", "345678")
	add("account number: %, sort code on request", "1234", "5678")
	add("Steuernummer: %", "93/815/", "08152")
	add("card number: %", "4222 22222", "2222")
	add("my Netflix login: ada@example.com / %", "Somm", "er2023!")
	add("creds: ada:%", "Somm", "er2023!")
	add("The door code is %", "48", "21#")
	add("alarm code: %", "25", "80")
	add("My safe combination is %", "12-", "34-56")
	add("code de la porte d'entrée : %", "45", "B78")
	add("mein Alarmcode ist %", "45", "78")
	add("el código de la puerta es %", "45", "78")
	add("my NI number is %", "QQ 12 ", "34 56 C")
	add("secret=%", fake(64, lowerHex, 91))
	add("seed: %", "legal winner thank year wave sausage worth ", "useful legal winner thank yellow")
	add("pay into account %", "12345", "67890")
	add("NHS number: %", "943 476 ", "5919")
	add("mi DNI es %", "12345", "678A")
	return all
}

func TestPlantedSecretsNeverPass(t *testing.T) {
	all := planted()
	if len(all) < 140 {
		t.Fatalf("only %d", len(all))
	}
	for _, p := range all {
		text, secret := p[0], p[1]
		for _, text := range []string{text, "I live in Berlin and work as a nurse. " + text + "\nI also like long walks.", strings.ReplaceAll(text, " ", "\u00a0"), strings.ReplaceAll(text, "'", "\u2019")} {
			v := Screen(text)
			if Reason(text) == "" || len(v.Found) == 0 {
				t.Errorf("%q passes", text)
				continue
			}
			if v.Reason != "" && v.Redacted != "" {
				t.Errorf("%q is refused and kept", text)
			}
			if strings.Contains(v.Redacted, secret) || strings.Contains(v.Redacted, secret[:len(secret)*2/3]) {
				t.Errorf("%q is kept as %q", text, v.Redacted)
			}
		}
	}
}

func TestRedactedTextIsClean(t *testing.T) {
	for _, p := range planted() {
		text := "I live in Berlin and work as a nurse. " + p[0]
		if v := Screen(text); v.Reason == "" {
			if again := Screen(v.Redacted); again.Redacted != v.Redacted || len(again.Found) > 0 {
				t.Errorf("%q is redacted to %q, then to %+v", text, v.Redacted, again)
			}
		}
	}
}

func TestWhatIsLeftDecides(t *testing.T) {
	secret := "hunt" + "er2abc"
	for text, want := range map[string]string{
		"Password: " + secret:                                                              "",
		"My password for gmail is " + secret:                                               "",
		"Lives in Berlin and has the password " + secret + " for mail":                     "Lives in Berlin and has the password " + Mark + " for mail",
		"Keeps bees. The wifi password is \"" + secret + "\", the dog is Rex.":             "Keeps bees. The wifi password is \"" + Mark + "\", the dog is Rex.",
		"Pays rent from DE893704004405" + "32013000 every month":                           "Pays rent from " + Mark + " every month",
		"Uses postgres://ada:" + secret + "@db/x at work":                                  "Uses postgres://ada:" + Mark + "@db/x at work",
		"Nothing to see here":                                                              "Nothing to see here",
		"Was born in Porto and lives there, key -----BEGIN RSA PRIV" + "ATE KEY-----\nabc": "",
	} {
		v := Screen(text)
		if v.Redacted != want || (v.Reason == "") != (want != "") {
			t.Errorf("%q: %+v, want %q", text, v, want)
		}
	}
	if v := Screen("Pays rent from DE893704004405" + "32013000 and 4242 4242 4242 42" + "42 each month, password: " + secret + "."); strings.Join(v.Found, " ") != "iban card password" {
		t.Errorf("%+v", v)
	}
}
