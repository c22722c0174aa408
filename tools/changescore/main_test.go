package main

import "testing"

func TestChangesComeOutRightInEveryLanguage(t *testing.T) {
	s, err := scoreChanges(changes)
	if err != nil {
		t.Fatal(err)
	}
	if s.total < 100 || len(s.languages) < 8 {
		t.Errorf("%d changes in %d languages", s.total, len(s.languages))
	}
	if s.right*10 < s.total*9 {
		t.Errorf("%d of %d changes come out right", s.right, s.total)
		for _, w := range s.wrong {
			t.Log(w)
		}
	}
	if s.unordered > 0 {
		t.Errorf("the order of imports matters in %d", s.unordered)
	}
}

func TestChangesAreReadAsPeopleTellThem(t *testing.T) {
	s, err := scoreChanges(told)
	if err != nil {
		t.Fatal(err)
	}
	if s.total < 90 || len(s.languages) < 12 {
		t.Errorf("%d changes in %d languages", s.total, len(s.languages))
	}
	if s.right*5 < s.total*4 {
		t.Errorf("%d of %d changes come out right", s.right, s.total)
		for _, w := range s.wrong {
			t.Log(w)
		}
	}
	if s.unordered > 0 {
		t.Errorf("the order of imports matters in %d", s.unordered)
	}
}

func TestWhatIsNoChangeEndsNothing(t *testing.T) {
	s, err := scoreChanges(kept)
	if err != nil {
		t.Fatal(err)
	}
	if s.total < 90 || s.right < s.total {
		t.Errorf("%d of %d memories stay", s.right, s.total)
		for _, w := range s.wrong {
			t.Log(w)
		}
	}
}

func TestLivesEndAsTheyWereTold(t *testing.T) {
	s, err := scoreLives(lives)
	if err != nil {
		t.Fatal(err)
	}
	if s.total < 600 || s.right*10 < s.total*9 {
		t.Errorf("%d of %d hold in the end", s.right, s.total)
		for _, w := range s.wrong {
			t.Log(w)
		}
	}
	if s.unordered > 0 {
		t.Errorf("the order of imports matters in %d", s.unordered)
	}
}
