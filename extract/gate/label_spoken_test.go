package gate

import "testing"

func TestPasswordsOfPlainWordsAreHeldBack(t *testing.T) {
	for _, said := range []string{
		"My password is ", "the wifi password is ", "Mein Passwort ist ", "Mi contraseña es ", "Mon mot de passe est ", "La mia password è ", "Minha senha é ",
	} {
		for _, secret := range []string{"swordfish", "Swordfish.", "Mittens the cat 1987", "Pepito el gato 88", "sonnenblume", "farfalla"} {
			if v := Screen(said + secret); len(v.Found) != 1 || v.Found[0] != "password" {
				t.Errorf("%q passes: %v", said+secret, v.Found)
			}
		}
	}
}

func TestWhatIsToldOfAPasswordIsNone(t *testing.T) {
	for _, text := range []string{"My password is important 2 me", "My password is Wrong", "The clave is practice", "La clave es practicar", "La parola d'ordine è coraggio"} {
		if v := Screen(text); len(v.Found) > 0 {
			t.Errorf("%q is taken for %v", text, v.Found)
		}
	}
}
