// Receives and deletes by sqs-consumer until it is killed, and tells each step when it begins and when it is answered.
// Arguments: endpoint, URL of the queue, visibility timeout. Times are microseconds.
import { Consumer } from "sqs-consumer";
import { SQSClient } from "@aws-sdk/client-sqs";
import { writeSync } from "node:fs";

const [endpoint, queueUrl, visibility] = process.argv.slice(2);
const tell = (...words) => writeSync(1, words.join(" ") + "\n");
const now = () => Date.now() * 1000;
let asked;
const consumer = Consumer.create({
  sqs: new SQSClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "any", secretAccessKey: "any" },
  }),
  queueUrl,
  batchSize: 5,
  waitTimeSeconds: 20,
  visibilityTimeout: Number(visibility),
  messageSystemAttributeNames: ["ApproximateReceiveCount"],
  preReceiveMessageCallback: async () => {
    asked = now();
  },
  handleMessage: async (message) => {
    tell("got", message.Body, asked, now() + 999, message.Attributes.ApproximateReceiveCount);
    await new Promise((resolve) => setTimeout(resolve, 10));
    tell("deleting", message.Body);
    return message;
  },
});
consumer.on("message_processed", (message) => tell("deleted", message.Body, asked, now() + 999));
consumer.on("error", (error) => console.error(error));
consumer.on("processing_error", (error) => console.error(error));
consumer.start();
