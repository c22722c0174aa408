package gemini

// zone is what a page calls a time zone. Minutes is east of UTC; ambiguous marks names of several
// zones.
type zone struct {
	minutes   int
	ambiguous bool
}

// zones are fixed offsets: a page applies the offset of the day of the export to all its rows, so
// that a row of the winter may have the name of summer time. It is never worked out again.
var zones = map[string]zone{
	"UTC": {}, "GMT": {}, "Z": {}, "UCT": {}, "WET": {}, "WEST": {minutes: 60}, "AZOT": {minutes: -60}, "AZOST": {},
	"BST": {60, true}, "IST": {330, true}, "CST": {-360, true}, "AST": {-240, true}, "SST": {-660, true}, "GST": {240, true},
	"AMT": {-240, true}, "WST": {480, true},
	"CET": {minutes: 60}, "CEST": {minutes: 120}, "MEZ": {minutes: 60}, "MESZ": {minutes: 120}, "HNEC": {minutes: 60}, "HAEC": {minutes: 120},
	"EET": {minutes: 120}, "EEST": {minutes: 180}, "OEZ": {minutes: 120}, "OESZ": {minutes: 180}, "MSK": {minutes: 180}, "TRT": {minutes: 180}, "SAMT": {minutes: 240}, "YEKT": {minutes: 300},
	"EST": {minutes: -300}, "CDT": {minutes: -300}, "MST": {minutes: -420}, "PST": {minutes: -480}, "ADT": {minutes: -180},
	"EDT": {minutes: -240}, "MDT": {minutes: -360}, "PDT": {minutes: -420},
	"AKST": {minutes: -540}, "AKDT": {minutes: -480}, "HST": {minutes: -600}, "NST": {minutes: -210}, "NDT": {minutes: -150},
	"BRT": {minutes: -180}, "BRST": {minutes: -120}, "ART": {minutes: -180}, "CLT": {minutes: -240}, "CLST": {minutes: -180}, "COT": {minutes: -300},
	"PET": {minutes: -300}, "VET": {minutes: -240}, "UYT": {minutes: -180}, "PYT": {minutes: -180}, "BOT": {minutes: -240}, "GFT": {minutes: -180},
	"JST": {minutes: 540}, "KST": {minutes: 540}, "HKT": {minutes: 480}, "SGT": {minutes: 480}, "PHT": {minutes: 480}, "MYT": {minutes: 480},
	"WIB": {minutes: 420}, "WITA": {minutes: 480}, "WIT": {minutes: 540}, "ICT": {minutes: 420}, "PKT": {minutes: 300}, "NPT": {minutes: 345},
	"IRST": {minutes: 210}, "UZT": {minutes: 300}, "AEST": {minutes: 600}, "AEDT": {minutes: 660}, "ACST": {minutes: 570}, "ACDT": {minutes: 630}, "AWST": {minutes: 480},
	"NZST": {minutes: 720}, "NZDT": {minutes: 780}, "SAST": {minutes: 120}, "EAT": {minutes: 180}, "CAT": {minutes: 120}, "WAT": {minutes: 60},
	"IDT": {minutes: 180}, "GET": {minutes: 240}, "AZT": {minutes: 240},
}

// chinaTime is CST where the date is written in the Chinese way.
var chinaTime = zone{480, true}
