package near

// Bands is the number of keys that a text is filed under.
const Bands = 8

// rows is how many of the 32 hashes make a key. Texts with a Jaccard of .9 share a key with a
// probability of .9998, such of .5 with .4.
const rows = 4

// Bands are the keys of a text: texts that are alike share at least one with high probability. The
// number of the band is part of its key. A text without letters and digits has none.
func (t *Text) Bands() (keys [Bands]uint64, ok bool) {
	pieces := t.cut()
	if len(pieces) == 0 {
		return keys, false
	}
	for band := range Bands {
		key := mix(uint64(band) + 1)
		for row := range rows {
			seed := mix(uint64(band*rows+row) * 0x9E3779B97F4A7C15)
			least := ^uint64(0)
			for _, p := range pieces {
				least = min(least, mix(p^seed))
			}
			key = mix(key ^ least)
		}
		keys[band] = key
	}
	return keys, true
}

// mix is the finalizer of splitmix64: a fixed bijection whose bits all depend on all bits of x.
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
