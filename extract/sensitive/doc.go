// Package sensitive tells which memories hold special categories of personal data: health,
// religion, politics, sexuality, ethnicity, union membership, criminal record, immigration status
// and finances. The content of the memory decides, whatever extractor found it and from whatever
// source it comes.
//
// Words are data: tables/<language>.yaml, one file a language, and any.yaml for words that all
// languages share, such as the names of medicines. A term alone is not enough: "studies depression"
// and "a depression in the housing market" tell nothing about the person, so that tables also have
// the words that make a term a topic.
package sensitive

// The kinds, in the order in which a content with several has its mark.
const (
	Health      = "health"
	Sexuality   = "sexuality"
	Religion    = "religion"
	Politics    = "politics"
	Union       = "union"
	Ethnicity   = "ethnicity"
	Criminal    = "criminal"
	Immigration = "immigration"
	Finances    = "finances"
)

var kinds = []string{Health, Sexuality, Religion, Politics, Union, Ethnicity, Criminal, Immigration, Finances}
