"""Sends, or receives and deletes, by boto3 until it is killed, and tells each step when it begins and when it is answered.

Arguments: endpoint, URL of the queue, visibility timeout; and for a sender the first number and the number of its messages. Times are
microseconds.
"""

import sys
import time

import boto3

endpoint, url, visibility = sys.argv[1:4]
sqs = boto3.client(
    "sqs",
    endpoint_url=endpoint,
    region_name="us-east-1",
    aws_access_key_id="any",
    aws_secret_access_key="any",
)


def tell(*words):
    print(*words, flush=True)


def now():
    return time.time_ns() // 1000


def send(first, count):
    for number in range(first, first + count):
        delay = number % 3
        tell("sending", number, now() + delay * 1_000_000)
        sqs.send_message(QueueUrl=url, MessageBody=str(number), DelaySeconds=delay)
        tell("sent", number)


def work():
    while True:
        asked = now()
        answer = sqs.receive_message(
            QueueUrl=url,
            MaxNumberOfMessages=5,
            WaitTimeSeconds=20,
            VisibilityTimeout=int(visibility),
            AttributeNames=["ApproximateReceiveCount"],
        )
        got = now()
        messages = answer.get("Messages", [])
        for message in messages:
            tell("got", message["Body"], asked, got, message["Attributes"]["ApproximateReceiveCount"])
        for message in messages:
            time.sleep(0.01)
            tell("deleting", message["Body"])
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
            tell("deleted", message["Body"], asked, now())


if len(sys.argv) > 4:
    send(int(sys.argv[4]), int(sys.argv[5]))
else:
    work()
