package jsonscan

func (p *parser) number() (Flag, error) {
	digits := func() int {
		n := p.i
		for p.i < len(p.src) && p.src[p.i] >= '0' && p.src[p.i] <= '9' {
			p.i++
		}
		return p.i - n
	}
	if p.src[p.i] == '-' {
		p.i++
	}
	whole := p.i
	switch n := digits(); {
	case n == 0:
		return 0, p.fail("malformed number")
	case n > 1 && p.src[whole] == '0':
		p.i = whole
		return 0, p.fail("number with a leading zero")
	}
	integer := true
	if p.i < len(p.src) && p.src[p.i] == '.' {
		integer = false
		p.i++
		if digits() == 0 {
			return 0, p.fail("malformed number")
		}
	}
	if p.i < len(p.src) && (p.src[p.i] == 'e' || p.src[p.i] == 'E') {
		integer = false
		p.i++
		if p.i < len(p.src) && (p.src[p.i] == '+' || p.src[p.i] == '-') {
			p.i++
		}
		if digits() == 0 {
			return 0, p.fail("malformed number")
		}
	}
	if integer && big(p.src[whole:p.i]) {
		return BigInteger, nil
	}
	return 0, nil
}

// big tells whether the digits name an integer beyond 2^53-1.
func big(digits []byte) bool {
	const limit = "9007199254740991"
	return len(digits) > len(limit) || len(digits) == len(limit) && string(digits) > limit
}
