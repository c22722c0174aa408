package gemini

// otherProducts are those whose names a message shows. Rows of Android, Search and other logs may
// have the name of an application or a site there, which tells something about the person.
var otherProducts = map[string]bool{
	"Ads": true, "Android": true, "Assistant": true, "Books": true, "Chrome": true, "Developers": true, "Discover": true, "Drive": true,
	"Finance": true, "Flights": true, "Gmail": true, "Google Analytics": true, "Google Apps": true, "Google Cloud": true, "Google Lens": true,
	"Google News": true, "Google Play": true, "Google Play Books": true, "Google Play Games": true, "Google Play Store": true, "Google Store": true,
	"Google TV": true, "Google Translate": true, "Help": true, "Hotels": true, "Image Search": true, "Maps": true, "News": true, "Podcasts": true,
	"Search": true, "Shopping": true, "Takeout": true, "Translate": true, "Travel": true, "Video Search": true, "YouTube": true, "YouTube Music": true,
}

// shownProduct is the name of a product for a message.
func shownProduct(s string) string {
	if otherProducts[s] {
		return s
	}
	return "another product"
}
