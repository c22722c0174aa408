package segment

// The bits of byteClass.
const (
	isLetter = 1 << iota
	isDigit
	isBlank  // space, tab, carriage return
	isSymbol // stands in program text more often than in talk
	isUpper
)

var byteClass = func() (t [256]byte) {
	for c := 'a'; c <= 'z'; c++ {
		t[c] |= isLetter
		t[c-32] |= isLetter | isUpper
	}
	for c := '0'; c <= '9'; c++ {
		t[c] |= isDigit
	}
	for _, c := range []byte(" \t\r") {
		t[c] |= isBlank
	}
	for _, c := range []byte("{}()[]<>=;$#&|\\/_+^~%@`") {
		t[c] |= isSymbol
	}
	return t
}()
