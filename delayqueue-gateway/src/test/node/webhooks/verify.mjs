// Verifies a request by the library standardwebhooks. Arguments: secret, webhook-id, webhook-timestamp, webhook-signature. The body
// comes on standard input. Prints "verified" or "refused".
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const [secret, id, timestamp, signature] = process.argv.slice(2);
try {
  new Webhook(secret).verify(readFileSync(0, "utf8"), {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signature,
  });
  console.log("verified");
} catch (error) {
  console.log("refused");
}
