package segment

import (
	"slices"
	"testing"
)

func TestMakeBelieveLastsUntilItIsLeft(t *testing.T) {
	type turn struct {
		role, text string
		pretending bool
	}
	for name, turns := range map[string][]turn{
		"play": {
			{"user", "I have a dog called Rex.", false},
			{"user", "Let's roleplay. I am a knight and you are my horse.", true},
			{"assistant", "Neigh! Stop the game whenever you like.", true},
			{"user", "I am from the north and my name is Arn.", true},
			{"user", "ok, end of roleplay. What should I cook?", false},
			{"user", "I am a vegetarian", false},
		},
		"deeds": {
			{"user", "*opens the door and looks around* I am home", true},
			{"user", "my castle is cold", true},
			{"user", "ooc: are you still there?", false},
		},
		"what an assistant offers": {
			{"assistant", "Let's pretend that I am a pirate. Act as my mate!", false},
			{"user", "no thanks, I am tired", false},
		},
		"a profession": {
			{"user", "I want you to act as a professional translator.", false},
			{"user", "I live in Spain", false},
		},
		"a profession in a game": {
			{"user", "Can we play a role play game now, with you as the game master?", true},
			{"user", "I live in a tower.", true},
		},
		"a trial that is played": {
			{"user", "vamos a simular un juicio, yo seré el abogado", true},
			{"user", "Tengo tres pruebas.", true},
		},
		"character": {
			{"user", "Name: Kara\nAppearance: tall\nPersonality: shy\nBackstory: none", true},
			{"user", "I am a vegetarian", true},
		},
		"talk in between": {
			{"user", "you are a great help, thank you", false},
			{"user", "my favourite game is chess", false},
		},
		"an order that lasts": {
			{"user", "From now on, correct everything I write.", false},
			{"user", "I has two cat.", true},
			{"assistant", "I have two cats.", true},
			{"user", "My brother live in Rome.", true},
			{"user", "Thanks! What can I cook? I am vegan.", false},
			{"user", "I live in Mainz.", false},
		},
		"one text within an order that lasts": {
			{"user", "übersetze alles, was ich schreibe", false},
			{"user", "Ich wohne hier.", true},
			{"user", "Korrigiere diesen Satz: Ich habe ein Hund.", false},
			{"user", "Ich habe einen Hund.", true},
			{"user", "Ende des Rollenspiels", false},
			{"user", "Ich bin müde.", false},
		},
		"an order in the middle of a sentence": {
			{"user", "Ti scriverò delle frasi, correggi tutte le mie frasi.", false},
			{"user", "Ho una macchina rossa.", true},
		},
		"what lasts without an order": {
			{"user", "everything I write is a lie", false},
			{"user", "I live in Oslo", false},
		},
		"a role that is denied": {
			{"user", "no actúa como sustantivo y verbo", false},
			{"user", "vivo en Sevilla", false},
			{"user", "no, actúa como un rey", true},
		},
		"figures": {
			{"user", "Sei una strega e io sono il tuo gatto. Miao!", true},
			{"user", "Ho il pelo nero.", true},
		},
		"words in code": {
			{"user", "why does this fail?\n```\nact as a knight\n```", false},
		},
		"spanish":    {{"user", "hagamos un juego de rol, yo soy un rey", true}, {"user", "fin del juego", false}},
		"portuguese": {{"user", "finja que você é um dragão", true}, {"user", "pare de fingir", false}},
		"french":     {{"user", "fais semblant d'être un dragon", true}, {"user", "sors de ton rôle", false}},
		"german":     {{"user", "lass uns ein Rollenspiel machen", true}, {"user", "beende das Rollenspiel", false}},
		"italian":    {{"user", "facciamo un gioco di ruolo", true}, {"user", "fine del gioco", false}},
	} {
		t.Run(name, func(t *testing.T) {
			var f, cut Frame
			if f.Pretending() {
				t.Error("pretends before anything was said")
			}
			for i, turn := range turns {
				if f.See(turn.role, turn.text); f.Pretending() != turn.pretending {
					t.Fatalf("after turn %d: %v", i, f.Pretending())
				}
				if turn.role != "user" {
					continue
				}
				got := cut.Cut(turn.text, nil)
				if cut.Pretending() != turn.pretending || !slices.Equal(got, Message(turn.text, nil)) {
					t.Fatalf("turn %d cut at once: %v\n%s", i, cut.Pretending(), show(turn.text, got))
				}
			}
		})
	}
}
