"""Signatures of PAM §18 by two Python libraries, from the text of the specification alone."""
import base64
import hashlib
import json

import jwt.algorithms
import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

ALGORITHMS = ["Ed25519", "ES256", "ES384", "RS256", "RS384", "RS512"]
LIBRARIES = ["cryptography", "PyJWT"]
HASHES = {"256": hashes.SHA256, "384": hashes.SHA384, "512": hashes.SHA512}
CURVES = {"ES256": (ec.SECP256R1, 32), "ES384": (ec.SECP384R1, 48)}
RSA_BITS = {"RS256": 2048, "RS384": 3072, "RS512": 4096}
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
MULTICODEC = {"Ed25519": b"\xed\x01", "ES256": b"\x80\x24", "ES384": b"\x81\x24"}


def payload(document):
    """The signed bytes: the checksum of the memories as they are, and three members of the store."""
    memories = sorted(document["memories"], key=lambda m: m["id"])
    return rfc8785.dumps({
        "checksum": "sha256:" + hashlib.sha256(rfc8785.dumps(memories)).hexdigest(),
        "export_id": document["export_id"], "export_date": document["export_date"], "owner_id": document["owner"]["id"],
    })


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def joses(algorithm):
    """PyJWT's implementation of an algorithm."""
    return jwt.algorithms.get_default_algorithms()["EdDSA" if algorithm == "Ed25519" else algorithm]


def generate(algorithm):
    if algorithm == "Ed25519":
        return ed25519.Ed25519PrivateKey.generate()
    if algorithm in CURVES:
        return ec.generate_private_key(CURVES[algorithm][0]())
    return rsa.generate_private_key(65537, RSA_BITS[algorithm])


def base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = BASE58[digit] + text
    return BASE58[0] * (len(data) - len(data.lstrip(b"\0"))) + text


def unbase58(text):
    number = 0
    for letter in text:
        number = number * 58 + BASE58.index(letter)
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def write_key(public, algorithm, form):
    """The text of a public key for the signature block."""
    pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
    if form == "pem":
        return pem
    if form == "multibase" and algorithm in MULTICODEC:
        if algorithm == "Ed25519":
            raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        else:
            raw = public.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.CompressedPoint)
        return "z" + base58(MULTICODEC[algorithm] + raw)
    value = joses(algorithm).to_jwk(public)
    return value if isinstance(value, str) else json.dumps(value)


def read_key(text, algorithm):
    """The public key of a signature block as pamline writes it."""
    if text.startswith("z"):
        raw = unbase58(text[1:])
        assert raw[:2] == MULTICODEC[algorithm], "another multicodec"
        return ed25519.Ed25519PublicKey.from_public_bytes(raw[2:])
    return joses(algorithm).from_jwk(text)


def sign(library, algorithm, form, document):
    """Signs a store, and returns its public key as PEM."""
    key, message = generate(algorithm), payload(document)
    if library == "PyJWT":
        value = joses(algorithm).sign(message, key)
    elif algorithm == "Ed25519":
        value = key.sign(message)
    elif algorithm in CURVES:
        r, s = utils.decode_dss_signature(key.sign(message, ec.ECDSA(HASHES[algorithm[2:]]())))
        size = CURVES[algorithm][1]
        value = r.to_bytes(size, "big") + s.to_bytes(size, "big")
    else:
        value = key.sign(message, padding.PKCS1v15(), HASHES[algorithm[2:]]())
    document["integrity"]["checksum"] = json.loads(message)["checksum"]
    document["signature"] = {
        "algorithm": algorithm, "public_key": write_key(key.public_key(), algorithm, form),
        "value": encode(value), "signed_at": document["export_date"],
    }
    return write_key(key.public_key(), algorithm, "pem").encode()


def verify(library, document):
    """Whether the signature of a store holds for its own key."""
    block, message = document["signature"], payload(document)
    algorithm, value = block["algorithm"], decode(block["value"])
    key = read_key(block["public_key"], algorithm)
    if library == "PyJWT":
        return joses(algorithm).verify(message, key, value)
    try:
        if algorithm == "Ed25519":
            key.verify(value, message)
        elif algorithm in CURVES:
            size = CURVES[algorithm][1]
            der = utils.encode_dss_signature(int.from_bytes(value[:size], "big"), int.from_bytes(value[size:], "big"))
            key.verify(der, message, ec.ECDSA(HASHES[algorithm[2:]]()))
        else:
            key.verify(value, message, padding.PKCS1v15(), HASHES[algorithm[2:]]())
    except InvalidSignature:
        return False
    return True
