package keys

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"math/big"
)

// members write a flat JSON object whose values need no escapes.
type members []byte

func (m members) add(name, value string) members {
	if len(m) == 0 {
		m = append(m, '{')
	} else {
		m = append(m, ',')
	}
	return append(m, `"`+name+`":"`+value+`"`...)
}

func (m members) bytes(name string, b []byte) members {
	return m.add(name, base64url.EncodeToString(b))
}

func (m members) number(name string, n *big.Int) members { return m.bytes(name, n.Bytes()) }

// JWK is the key as a JSON Web Key in canonical form, with "alg" if the key is for one algorithm.
func (p Public) JWK() []byte {
	var m members
	if p.only != "" {
		m = m.add("alg", jwkName(p.only))
	}
	return append(publicMembers(m, p.key, nil), '}')
}

// JWK is the key as a JSON Web Key in canonical form, its private members included.
func (p Private) JWK() []byte {
	var m members
	if p.only != "" {
		m = m.add("alg", jwkName(p.only))
	}
	switch k := p.key.(type) {
	case ed25519.PrivateKey:
		m = publicMembers(m, k.Public(), k.Seed())
	case *ecdsa.PrivateKey:
		d, err := k.Bytes()
		if err != nil {
			panic("keys: private key cannot be written: " + err.Error()) // only keys of known curves are made
		}
		m = publicMembers(m, &k.PublicKey, d)
	case *rsa.PrivateKey:
		k.Precompute()
		m = m.number("d", k.D).number("dp", k.Precomputed.Dp).number("dq", k.Precomputed.Dq)
		m = m.number("e", big.NewInt(int64(k.E))).add("kty", "RSA").number("n", k.N)
		m = m.number("p", k.Primes[0]).number("q", k.Primes[1]).number("qi", k.Precomputed.Qinv)
	}
	return append(m, '}')
}

// publicMembers writes the members of a public key in order, with "d" among them if it is not nil.
func publicMembers(m members, key any, d []byte) members {
	curve := func(name string) {
		m = m.add("crv", name)
		if d != nil {
			m = m.bytes("d", d)
		}
	}
	switch k := key.(type) {
	case ed25519.PublicKey:
		curve("Ed25519")
		m = m.add("kty", "OKP").bytes("x", k)
	case *ecdsa.PublicKey:
		curve(k.Curve.Params().Name)
		x, y := pointCoordinates(k)
		m = m.add("kty", "EC").bytes("x", x).bytes("y", y)
	case *rsa.PublicKey:
		m = m.number("e", big.NewInt(int64(k.E))).add("kty", "RSA").number("n", k.N)
	}
	return m
}

// jwkName is the value of "alg": JOSE calls Ed25519 EdDSA.
func jwkName(a Algorithm) string {
	if a == Ed25519 {
		return "EdDSA"
	}
	return string(a)
}
