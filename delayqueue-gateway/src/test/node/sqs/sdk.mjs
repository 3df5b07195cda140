// Uses a queue by the AWS SDK. Arguments: endpoint, access key id, secret access key. Prints "done" at the end.
import assert from "node:assert/strict";
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueUrlCommand,
  QueueDoesNotExist,
  ReceiptHandleIsInvalid,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";

const [endpoint, key, secret] = process.argv.slice(2);

// tag::client[]
const sqs = new SQSClient({
  endpoint,
  region: "us-east-1",
  credentials: { accessKeyId: key, secretAccessKey: secret },
});
const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: "reminder" }));
await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "Call Ann", DelaySeconds: 2 }));
const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
for (const { Body, ReceiptHandle } of Messages ?? []) {
  console.log(Body);
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
}
// end::client[]
assert.equal(Messages.length, 1);

// the SDK checks each MD5 itself
const Body = "gr\u00fc\u00dfe <&> \u{1f600} \r\n\t";
const MessageAttributes = {
  bytes: { DataType: "Binary.gif", BinaryValue: new Uint8Array([0, 255, 7]) },
  number: { DataType: "Number.int", StringValue: "17" },
};
const sent = await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: Body, MessageAttributes }));
const received = await sqs.send(
  new ReceiveMessageCommand({
    QueueUrl,
    WaitTimeSeconds: 20,
    MessageSystemAttributeNames: ["All"],
    MessageAttributeNames: ["All"],
  }),
);
const [message] = received.Messages;
assert.equal(message.MessageId, sent.MessageId);
assert.equal(message.Body, Body);
assert.equal(message.MD5OfMessageAttributes, sent.MD5OfMessageAttributes);
assert.deepEqual([...message.MessageAttributes.bytes.BinaryValue], [0, 255, 7]);
assert.equal(message.Attributes.ApproximateReceiveCount, "1");
const { ReceiptHandle } = message;
await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 600 }));
await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));

const empty = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
assert.equal(empty.Messages, undefined);

const batch = await sqs.send(
  new SendMessageBatchCommand({
    QueueUrl,
    Entries: [
      { Id: "a", MessageBody: "one" },
      { Id: "b", MessageBody: "\u0001" },
    ],
  }),
);
assert.deepEqual(batch.Successful.map(({ Id }) => Id), ["a"]);
assert.equal(batch.Failed[0].Code, "InvalidMessageContents");
const deleted = await sqs.send(
  new DeleteMessageBatchCommand({ QueueUrl, Entries: [{ Id: "a", ReceiptHandle: "garbage" }] }),
);
assert.equal(deleted.Failed[0].Code, "ReceiptHandleIsInvalid");

await assert.rejects(sqs.send(new GetQueueUrlCommand({ QueueName: "nowhere" })), (error) => {
  assert.ok(error instanceof QueueDoesNotExist, error.name);
  assert.equal(error.$metadata.httpStatusCode, 400);
  return true;
});
await assert.rejects(
  sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: "garbage" })),
  (error) => error instanceof ReceiptHandleIsInvalid,
);
const wrong = new SQSClient({
  endpoint,
  region: "us-east-1",
  credentials: { accessKeyId: key, secretAccessKey: "wrong" },
});
await assert.rejects(wrong.send(new GetQueueUrlCommand({ QueueName: "reminder" })), (error) => {
  assert.equal(error.$metadata.httpStatusCode, 403);
  return true;
});
console.log("done");
