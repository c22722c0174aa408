package jsonscan

// number reads the number at i: end is behind it.
func number(src []byte, i int) (end int, f Flag, err error) {
	if src[i] == '-' {
		i++
	}
	whole := i
	i = digits(src, i)
	switch {
	case i == whole:
		return 0, 0, fail(i, "malformed number")
	case src[whole] == '0' && i > whole+1:
		return 0, 0, fail(whole, "number with a leading zero")
	}
	if i == len(src) || src[i] != '.' && src[i]|0x20 != 'e' {
		if big(src[whole:i]) {
			f = BigInteger
		}
		return i, f, nil
	}
	if src[i] == '.' {
		before := i + 1
		if i = digits(src, before); i == before {
			return 0, 0, fail(i, "malformed number")
		}
	}
	if i < len(src) && src[i]|0x20 == 'e' {
		i++
		if i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		before := i
		if i = digits(src, before); i == before {
			return 0, 0, fail(i, "malformed number")
		}
	}
	return i, 0, nil
}

func digits(src []byte, i int) int {
	for i < len(src) && src[i]-'0' <= 9 {
		i++
	}
	return i
}

// big tells whether the digits name an integer beyond 2^53-1.
func big(digits []byte) bool {
	const limit = "9007199254740991"
	return len(digits) > len(limit) || len(digits) == len(limit) && string(digits) > limit
}
