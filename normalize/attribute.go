package normalize

import "strings"

// oneValued are the attributes of which a person has one value at a time, whichever extractor tells
// them.
var oneValued = map[string]bool{
	"name": true, "age": true, "birthday": true, "gender": true, "residence": true, "residence.plan": true, "marital_status": true,
	"answer.language": true, "job": true, "employer": true, "partner": true, "child_count": true, "smoking": true,
}

// IsOneValued tells whether a person has one value of an attribute at a time, so that a later one
// takes the place of an earlier one. Of relatives it is their number.
func IsOneValued(attribute string) bool {
	return oneValued[attribute] || strings.HasPrefix(attribute, "favorite.") ||
		strings.HasPrefix(attribute, "relative.") && strings.HasSuffix(attribute, ".count")
}
