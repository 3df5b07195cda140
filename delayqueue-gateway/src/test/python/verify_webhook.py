"""Verifies a request by hand, as a receiver without a library would.

Arguments: secret, webhook-id, webhook-timestamp, webhook-signature. The body comes on standard input. Prints "verified" or "refused".
"""

import base64
import hashlib
import hmac
import sys

secret, message_id, timestamp, signatures = sys.argv[1:5]
body = sys.stdin.buffer.read()
key = base64.b64decode(secret.removeprefix("whsec_"))
signed = f"{message_id}.{timestamp}.".encode() + body
expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
found = any(hmac.compare_digest(expected, signature) for signature in signatures.split(" "))
print("verified" if found else "refused")
