import base64, json, zlib
from datetime import datetime
from urllib.parse import urlsplit
import cbor2
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

decode = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
vectors = json.load(open("test/vectors/credentials.json"))
keys = {key["kid"]: Ed25519PublicKey.from_public_bytes(decode(key["x"])) for key in vectors["jwks"]["keys"]}

def open_token(token):
    protected, outside, payload, signature = cbor2.loads(token).value
    headers = cbor2.loads(protected)
    if outside or headers[1] != -8 or 2 in headers: raise ValueError("outside of the profile")
    kid = headers[4].decode()
    if kid not in keys: raise LookupError("unknown_key")
    keys[kid].verify(signature, cbor2.dumps(["Signature1", protected, b"", payload]))
    return cbor2.loads(payload)

def verify(text, at):
    link, _, credential = text.rpartition("#") if "://" in text else ("", "", text)
    if "://" in text and not link: return "cannot_tell", "no_credential"
    try: claims = open_token(decode(credential))
    except LookupError: return "cannot_tell", "unknown_key"
    except Exception: return "not_valid", "forged"
    status, host = claims[65535]["status_list"], urlsplit(claims[1]).netloc
    if urlsplit(status["uri"]).netloc != host or (link and urlsplit(link).netloc != host): return "not_valid", "forged"
    if int(at) < claims[5]: return "not_valid", "not_yet"
    if int(at) > claims[4]: return "not_valid", "expired"
    if status["uri"] not in vectors["status_lists"]: return "cannot_tell", "list_missing"
    listed = open_token(decode(vectors["status_lists"][status["uri"]]))
    if listed[2] != status["uri"]: return "cannot_tell", "list_missing"
    if at >= listed[4]: return "cannot_tell", "list_expired"
    bits = zlib.decompressobj().decompress(listed[65533]["lst"], 32768)
    found = bits[status["idx"] // 4] >> status["idx"] % 4 * 2 & 3
    return ("valid", None) if found == 0 else ("not_valid", "suspended" if found == 2 else "invalid")

for case in vectors["cases"]:
    found = verify(case["text"], datetime.fromisoformat(case["at"]).timestamp())
    assert found == (case["verdict"], case["reason"]), (case["name"], found)
print(len(vectors["cases"]), "vectors")
