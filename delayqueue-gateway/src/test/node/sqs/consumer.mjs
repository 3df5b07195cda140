// Consumes a queue by sqs-consumer until it has had all messages, failing once for one of them. Arguments: endpoint, access key id,
// secret access key. Prints "done" at the end.
import assert from "node:assert/strict";
import { CreateQueueCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { Consumer } from "sqs-consumer";

const [endpoint, accessKeyId, secretAccessKey] = process.argv.slice(2);
const sqs = new SQSClient({ endpoint, region: "us-east-1", credentials: { accessKeyId, secretAccessKey } });
const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: "consumed" }));
const expected = Array.from({ length: 25 }, (_, i) => `message ${i}`);
const handled = [];
let failures = 0;
let allHandled;
const finished = new Promise((resolve) => (allHandled = resolve));

async function handle(body) {
  if (body === "message 7" && failures++ === 0) {
    throw new Error("once");
  }
  handled.push(body);
}

// tag::consumer[]
const consumer = Consumer.create({
  sqs,
  queueUrl: QueueUrl,
  batchSize: 10,
  visibilityTimeout: 30,
  terminateVisibilityTimeout: true,
  handleMessage: async (message) => {
    await handle(message.Body);
    return message;
  },
});
consumer.on("error", (error) => console.error(error));
consumer.start();
// end::consumer[]

let processed = 0;
consumer.on("message_processed", () => ++processed === expected.length && allHandled());
const errors = [];
consumer.on("error", (error) => errors.push(error));
for (const MessageBody of expected) {
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
}
await finished;
const stopped = new Promise((resolve) => consumer.once("stopped", resolve));
consumer.stop();
await stopped;
assert.deepEqual([...new Set(handled)].sort(), [...expected].sort());
assert.equal(failures, 2, String(failures));
assert.deepEqual(errors, []);
console.log("done");
process.exit(0);
