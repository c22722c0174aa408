package rules

import "testing"

func TestATimeFromOneYearToAnotherBoundsWhatIsTold(t *testing.T) {
	x := New()
	for _, c := range []struct{ text, content, from, until string }{
		{"I lived in Porto from 2015 to 2018.", "Lived in Porto from 2015 to 2018.", "2015-01-01T00:00:00Z", "2018-01-01T00:00:00Z"},
		{"From 2015 to 2018 I lived in Porto.", "Lived in Porto.", "2015-01-01T00:00:00Z", "2018-01-01T00:00:00Z"},
		{"I worked at Siemens from March 2010 to May 2014.", "Worked at Siemens from March 2010 to May 2014.", "2010-03-01T00:00:00Z", "2014-05-01T00:00:00Z"},
		{"Since 2021 I live in Berlin.", "Lives in Berlin.", "2021-01-01T00:00:00Z", ""},
		{"Von 2010 bis 2014 habe ich in Hamburg gelebt.", "Hat in Hamburg gelebt.", "2010-01-01T00:00:00Z", "2014-01-01T00:00:00Z"},
		{"J'ai vécu à Lyon de 2010 à 2014.", "A vécu à Lyon de 2010 à 2014.", "2010-01-01T00:00:00Z", "2014-01-01T00:00:00Z"},
		{"Viví en Madrid de 2010 a 2014.", "Vivió en Madrid de 2010 a 2014.", "2010-01-01T00:00:00Z", "2014-01-01T00:00:00Z"},
		{"I lived in Porto from 2018 to 2015.", "Lived in Porto from 2018 to 2015.", "", ""},
		{"Since 2021 the trains are late, and I live in Berlin.", "Lives in Berlin.", "", ""},
	} {
		found, _ := x.Extract(talked(c.text), nil)
		if len(found) == 0 || found[0].Content != c.content || found[0].ValidFrom != c.from || found[0].ValidUntil != c.until {
			t.Errorf("%q: %+v", c.text, found)
		}
	}
}
