package gemini

import (
	"testing"
)

// Cases 40 and 41 of the reference SDK's failures: months in French that were read as others, zones
// that were dropped.
func TestTimestamps(t *testing.T) {
	for _, c := range []struct{ in, want, flag string }{
		{"Jul 25, 2026, 11:07:57\u202fPM PDT", "2026-07-26T06:07:57Z", ""},
		{"Jul 25, 2026, 11:07:57\u00a0PM\u00a0PDT", "2026-07-26T06:07:57Z", ""},
		{"Dec 5, 2025, 12:07:57 AM BST", "2025-12-04T23:07:57Z", "ambiguous"},
		{"Jan 2, 2025, 12:04:05 PM EDT", "2025-01-02T16:04:05Z", ""},
		{"Jan 2, 2025, 3:04:05 PM GMT-03:00", "2025-01-02T18:04:05Z", ""},
		{"Jan 2, 2025, 3:04:05 PM GMT+05:30", "2025-01-02T09:34:05Z", ""},
		{"Jan 2, 2025, 3:04:05 PM GMT+1", "2025-01-02T14:04:05Z", ""},
		{"Jan 2, 2025, 3:04:05 PM GMT\u22123", "2025-01-02T18:04:05Z", ""},
		{"Jan 2, 2025, 3:04:05 PM GMT+8", "2025-01-02T07:04:05Z", ""},
		{"Jan 2, 2025, 3:04:05 PM UTC+05:30", "2025-01-02T09:34:05Z", ""},
		{"Jan 2, 2025, 3:04:05 PM IST", "2025-01-02T09:34:05Z", "ambiguous"},
		{"Jan 2, 2025, 3:04:05 PM CST", "2025-01-02T21:04:05Z", "ambiguous"},
		{"2025年1月2日 15:04:05 CST", "2025-01-02T07:04:05Z", "ambiguous"},
		{"Jan 2, 2025, 3:04:05 PM XYZT", "2025-01-02T15:04:05Z", "unknown"},
		{"Jan 2, 2025, 3:04:05 PM", "2025-01-02T15:04:05Z", "missing"},
		{"2 Jan 2025, 15:04:05 GMT", "2025-01-02T15:04:05Z", ""},
		{"18.04.2026, 17:38:51 MESZ", "2026-04-18T15:38:51Z", ""},
		{"18.01.2026, 17:38:51 MEZ", "2026-01-18T16:38:51Z", ""},
		{"15 jun 2026, 20:30:41 CEST", "2026-06-15T18:30:41Z", ""},
		{"15 mrt 2026, 20:30:41 CET", "2026-03-15T19:30:41Z", ""},
		{"4 juli 2026 09:15:00 CEST", "2026-07-04T07:15:00Z", ""},
		{"17 de fev. de 2026, 15:08:20 BRT", "2026-02-17T18:08:20Z", ""},
		{"6 de out. de 2026, 10:15:30 BRT", "2026-10-06T13:15:30Z", ""},
		{"17 juil. 2026, 15:08:20 CEST", "2026-07-17T13:08:20Z", ""},
		{"17 juin 2026, 15:08:20 CEST", "2026-06-17T13:08:20Z", ""},
		{"1 août 2026 à 15:08:20 UTC+2", "2026-08-01T13:08:20Z", ""},
		{"17 feb 2026, 3:08:20 p. m. COT", "2026-02-17T20:08:20Z", ""},
		{"17 ene 2026, 15:08:20 CET", "2026-01-17T14:08:20Z", ""},
		{"17 lug 2026, 15:08:20 CEST", "2026-07-17T13:08:20Z", ""},
		{"17 Ağu 2026 15:08:20 GMT+03:00", "2026-08-17T12:08:20Z", ""},
		{"17 lip 2026, 15:08:20 CEST", "2026-07-17T13:08:20Z", ""},
		{"17 października 2026, 15:08:20 CEST", "2026-10-17T13:08:20Z", ""},
		{"17 iul. 2026, 15:08:20 EEST", "2026-07-17T12:08:20Z", ""},
		{"17 мая 2026 г., 15:08:20 MSK", "2026-05-17T12:08:20Z", ""},
		{"17 Ιουλ 2026, 3:08:20 μ.μ. EEST", "2026-07-17T12:08:20Z", ""},
		{"2026/07/17 15:08:20 JST", "2026-07-17T06:08:20Z", ""},
		{"2026年7月17日 15:08:20 JST", "2026-07-17T06:08:20Z", ""},
		{"2026年7月17日 GMT+8 下午11:07:57", "2026-07-17T15:07:57Z", ""},
		{"2026年7月17日 上午12:07:57 HKT", "2026-07-16T16:07:57Z", ""},
		{"2026. 7. 17. 오후 3:08:20 KST", "2026-07-17T06:08:20Z", ""},
		{"١٧\u200f/٠٧\u200f/٢٠٢٦، ٣:٠٨:٢٠ م GMT+3", "2026-07-17T12:08:20Z", ""},
		{"17 يوليو 2026، 3:08:20 م GMT+3", "2026-07-17T12:08:20Z", ""},
		{"17.07.2026 15.08.20 CEST", "2026-07-17T13:08:20Z", ""},
		{"17.7.2026 klo 15.08.20 EEST", "2026-07-17T12:08:20Z", ""},
		{"Feb 29, 2024, 11:59:60 PM UTC", "2024-03-01T00:00:00Z", ""},
	} {
		got, ok := parseStamp(c.in)
		if !ok || got.at.String() != c.want || got.flag != c.flag {
			t.Errorf("%q: %s %q (%v), want %s %q", c.in, got.at, got.flag, ok, c.want, c.flag)
		}
	}
}

func TestWhatIsNoTimestamp(t *testing.T) {
	for _, in := range []string{
		"", "2024, 10:11:12", "at 10:11:12", "Jan 2, 2025", "Jan 32, 2025, 3:04:05 PM UTC", "Feb 30, 2025, 3:04:05 AM UTC", "Jan 2, 2025, 13:04:05 PM UTC",
		"On Jan 2, 2025, 3:04:05 PM UTC", "Jan 2, 2025, 3:04:05 PM UTC we met", "Foo 2, 2025, 3:04:05 PM UTC", "Jan 2, 25, 3:04:05 PM UTC", "13.13.2025, 10:00:00",
		"Jan 2, 2025, 3:04:05 PM UTC EST", "Jan 2, 2025, 3:64:05 PM UTC", "Jan Feb 2, 2025, 3:04:05 PM UTC", "1 2 3 2025, 10:00:00", "Jan 2, 2025, 3:04:05 PM GMT+99",
	} {
		if got, ok := parseStamp(in); ok {
			t.Errorf("%q is read as %s", in, got.at)
		}
	}
}

func TestMonthsHaveOneMeaning(t *testing.T) {
	if n := months["juil"]; n != 7 {
		t.Errorf("juil is month %d", n)
	}
	if n := months["juin"]; n != 6 {
		t.Errorf("juin is month %d", n)
	}
	for word := range months {
		if fillers[word] || zones[word] != (zone{}) {
			t.Errorf("%q is a month and something else", word)
		}
	}
}

func FuzzTimestamp(f *testing.F) {
	for _, s := range []string{"Jul 25, 2026, 11:07:57\u202fPM PDT", "2026年7月17日 GMT+8 下午11:07:57", "١٧\u200f/٠٧\u200f/٢٠٢٦، ٣:٠٨:٢٠ م", "0.0.2000 0:00:00+", "..:::"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := parseStamp(s)
		if ok && (got.at.Sec < 946684800-86400 || got.at.Micro != 0) {
			t.Fatalf("%q is read as %s", s, got.at)
		}
	})
}
