"""Uses a queue by boto3. Arguments: endpoint, access key id, secret access key, protocol, which may be any. Prints "done" at the end."""

import json
import sys
import time

import boto3
from botocore.exceptions import ClientError

endpoint, key, secret, protocol = sys.argv[1:5]

# tag::client[]
sqs = boto3.client(
    "sqs",
    endpoint_url=endpoint,
    region_name="us-east-1",
    aws_access_key_id=key,
    aws_secret_access_key=secret,
)
url = sqs.create_queue(QueueName="reminder")["QueueUrl"]
sqs.send_message(QueueUrl=url, MessageBody="Call Ann", DelaySeconds=2)
for message in sqs.receive_message(QueueUrl=url, WaitTimeSeconds=20).get("Messages", []):
    print(message["Body"])
    sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
# end::client[]


def fails(code, call, **parameters):
    try:
        call(**parameters)
    except ClientError as error:
        found = error.response["Error"]["Code"]
        assert found == code, f"{found} instead of {code}"
        return error.response
    raise AssertionError(f"no {code}")


def receive(**parameters):
    answer = sqs.receive_message(
        QueueUrl=orders, WaitTimeSeconds=20, AttributeNames=["All"], MessageAttributeNames=["All"], **parameters
    )
    return answer["Messages"]


spoken = sqs.meta.service_model.protocol
assert protocol in (spoken, "any"), f"boto3 {boto3.__version__} speaks {spoken}"
assert url.startswith(endpoint), url
dead = sqs.create_queue(QueueName="orders-dead")["QueueUrl"]
arn = sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
policy = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": 2})
orders = sqs.create_queue(
    QueueName="orders", Attributes={"VisibilityTimeout": "60", "RedrivePolicy": policy}, tags={"team": "a"}
)["QueueUrl"]
assert orders in sqs.list_queues()["QueueUrls"]
assert sqs.get_queue_url(QueueName="orders")["QueueUrl"] == orders
assert sqs.list_queue_tags(QueueUrl=orders)["Tags"] == {"team": "a"}
attributes = sqs.get_queue_attributes(QueueUrl=orders, AttributeNames=["All"])["Attributes"]
assert attributes["VisibilityTimeout"] == "60" and attributes["ApproximateNumberOfMessages"] == "0", attributes

# boto3 checks the MD5 of bodies itself
body = "gr\u00fc\u00dfe <&> \U0001f600 \r\n\t"
sent = sqs.send_message(
    QueueUrl=orders,
    MessageBody=body,
    MessageAttributes={
        "bytes": {"DataType": "Binary.gif", "BinaryValue": b"\x00\xff\x07"},
        "number": {"DataType": "Number.int", "StringValue": "17"},
    },
    MessageSystemAttributes={
        "AWSTraceHeader": {
            "DataType": "String",
            "StringValue": "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1",
        }
    },
)
(message,) = receive()
assert message["MessageId"] == sent["MessageId"]
assert message["Body"] == body, repr(message["Body"])
assert message["MessageAttributes"]["bytes"] == {"DataType": "Binary.gif", "BinaryValue": b"\x00\xff\x07"}
assert message["MessageAttributes"]["number"] == {"DataType": "Number.int", "StringValue": "17"}
assert message["MD5OfMessageAttributes"] == sent["MD5OfMessageAttributes"]
assert message["Attributes"]["AWSTraceHeader"].startswith("Root=1-5759e988-"), message["Attributes"]
assert message["Attributes"]["ApproximateReceiveCount"] == "1"
assert abs(int(message["Attributes"]["SentTimestamp"]) / 1000 - time.time()) < 60
sqs.change_message_visibility(QueueUrl=orders, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=600)
for _ in range(2):
    sqs.delete_message(QueueUrl=orders, ReceiptHandle=message["ReceiptHandle"])

# attributes of the queue count for its messages and receives
sqs.set_queue_attributes(
    QueueUrl=orders, Attributes={"DelaySeconds": "2", "ReceiveMessageWaitTimeSeconds": "20", "VisibilityTimeout": "600"}
)
attributes = sqs.get_queue_attributes(
    QueueUrl=orders, AttributeNames=["DelaySeconds", "ReceiveMessageWaitTimeSeconds", "VisibilityTimeout"]
)["Attributes"]
assert attributes == {"DelaySeconds": "2", "ReceiveMessageWaitTimeSeconds": "20", "VisibilityTimeout": "600"}, attributes
sqs.send_message(QueueUrl=orders, MessageBody="delayed by the queue")
(message,) = sqs.receive_message(QueueUrl=orders, AttributeNames=["All"])["Messages"]
times = [int(message["Attributes"][name]) for name in ("SentTimestamp", "ApproximateFirstReceiveTimestamp")]
assert times[1] - times[0] >= 1900, times
sqs.delete_message(QueueUrl=orders, ReceiptHandle=message["ReceiptHandle"])
sqs.set_queue_attributes(QueueUrl=orders, Attributes={"DelaySeconds": "0", "ReceiveMessageWaitTimeSeconds": "0"})

# tags
sqs.tag_queue(QueueUrl=orders, Tags={"stage": "test", "cost": "7 @ home"})
assert sqs.list_queue_tags(QueueUrl=orders)["Tags"] == {"team": "a", "stage": "test", "cost": "7 @ home"}
sqs.untag_queue(QueueUrl=orders, TagKeys=["team", "stage"])
assert sqs.list_queue_tags(QueueUrl=orders)["Tags"] == {"cost": "7 @ home"}

# queues page by page
paged = [sqs.create_queue(QueueName=f"paged-{n}")["QueueUrl"] for n in range(5)]
pages = sqs.get_paginator("list_queues").paginate(QueueNamePrefix="paged-", PaginationConfig={"PageSize": 2})
assert [page["QueueUrls"] for page in pages] == [paged[:2], paged[2:4], paged[4:]]

# the largest message
largest = "x" * 1024 * 1024
sqs.send_message(QueueUrl=orders, MessageBody=largest)
(message,) = receive()
assert message["Body"] == largest
sqs.delete_message(QueueUrl=orders, ReceiptHandle=message["ReceiptHandle"])

# without attributes there are none
sqs.send_message(QueueUrl=orders, MessageBody="plain")
(message,) = sqs.receive_message(QueueUrl=orders, WaitTimeSeconds=20)["Messages"]
assert "Attributes" not in message and "MessageAttributes" not in message, message
sqs.delete_message(QueueUrl=orders, ReceiptHandle=message["ReceiptHandle"])
assert "Messages" not in sqs.receive_message(QueueUrl=orders)

# batches
answer = sqs.send_message_batch(
    QueueUrl=orders,
    Entries=[{"Id": str(n), "MessageBody": f"body {n}"} for n in range(9)]
    + [{"Id": "bad", "MessageBody": "x", "DelaySeconds": -1}],
)
assert len(answer["Successful"]) == 9, answer
(failed,) = answer["Failed"]
assert failed["Id"] == "bad" and failed["SenderFault"] is True, failed
assert failed["Code"] == "InvalidParameterValue", failed
received = []
while len(received) < 9:
    received += receive(MaxNumberOfMessages=10)
entries = [{"Id": str(n), "ReceiptHandle": message["ReceiptHandle"]} for n, message in enumerate(received)]
answer = sqs.change_message_visibility_batch(
    QueueUrl=orders, Entries=[dict(entry, VisibilityTimeout=120) for entry in entries]
)
assert len(answer["Successful"]) == 9, answer
answer = sqs.delete_message_batch(
    QueueUrl=orders, Entries=entries + [{"Id": "bad", "ReceiptHandle": "garbage"}]
)
assert len(answer["Successful"]) == 9 and answer["Failed"][0]["Code"] == "ReceiptHandleIsInvalid", answer

# errors
missing = fails("AWS.SimpleQueueService.NonExistentQueue", sqs.get_queue_url, QueueName="nowhere")
assert missing["ResponseMetadata"]["HTTPStatusCode"] == 400 and missing["Error"]["Type"] == "Sender", missing
fails("ReceiptHandleIsInvalid", sqs.delete_message, QueueUrl=orders, ReceiptHandle="garbage")
fails("AWS.SimpleQueueService.EmptyBatchRequest", sqs.send_message_batch, QueueUrl=orders, Entries=[])
fails("AWS.SimpleQueueService.UnsupportedOperation", sqs.create_queue, QueueName="a.fifo")
fails("InvalidAttributeName", sqs.get_queue_attributes, QueueUrl=orders, AttributeNames=["Nonsense"])
other = boto3.client(
    "sqs", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id=key, aws_secret_access_key="wrong"
)
forbidden = fails("SignatureDoesNotMatch", other.list_queues)
assert forbidden["ResponseMetadata"]["HTTPStatusCode"] == 403

# dead letters, moved back; boto3 can do so from 1.26.149 on
def kill(count):
    sqs.send_message_batch(
        QueueUrl=orders, Entries=[{"Id": str(n), "MessageBody": f"dead {n}"} for n in range(count)]
    )
    for _ in range(2 * count):
        (message,) = receive()
        sqs.change_message_visibility(QueueUrl=orders, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0)


def ended():
    while True:
        (task,) = sqs.list_message_move_tasks(SourceArn=arn)["Results"]
        if task["Status"] not in ("RUNNING", "CANCELLING"):
            return task
        time.sleep(0.1)


if hasattr(sqs, "start_message_move_task"):
    kill(10)
    handle = sqs.start_message_move_task(SourceArn=arn, MaxNumberOfMessagesPerSecond=1)["TaskHandle"]
    (task,) = sqs.list_message_move_tasks(SourceArn=arn)["Results"]
    assert task["TaskHandle"] == handle and task["Status"] == "RUNNING", task
    assert task["SourceArn"] == arn and task["MaxNumberOfMessagesPerSecond"] == 1, task
    assert task["ApproximateNumberOfMessagesToMove"] == 10, task
    assert abs(task["StartedTimestamp"] / 1000 - time.time()) < 60, task
    assert 0 <= sqs.cancel_message_move_task(TaskHandle=handle)["ApproximateNumberOfMessagesMoved"] < 10
    first = ended()
    assert first["Status"] == "CANCELLED" and "TaskHandle" not in first, first
    sqs.start_message_move_task(SourceArn=arn, DestinationArn=arn[: -len("-dead")])
    second = ended()
    assert second["Status"] == "COMPLETED", second
    tasks = sqs.list_message_move_tasks(SourceArn=arn, MaxResults=10)["Results"]
    assert tasks == [second, first], tasks
    assert sum(task["ApproximateNumberOfMessagesMoved"] for task in tasks) == 10, tasks
    fails("ResourceNotFoundException", sqs.cancel_message_move_task, TaskHandle=handle)
    moved = []
    while len(moved) < 10:
        (message,) = receive()
        moved.append(message["Body"])
        sqs.delete_message(QueueUrl=orders, ReceiptHandle=message["ReceiptHandle"])
    assert sorted(moved) == [f"dead {n}" for n in range(10)], moved

# dead letters
sqs.send_message(QueueUrl=orders, MessageBody="poison")
for _ in range(2):
    (message,) = receive()
    sqs.change_message_visibility(QueueUrl=orders, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0)
(message,) = sqs.receive_message(QueueUrl=dead, WaitTimeSeconds=20, VisibilityTimeout=0)["Messages"]
assert message["Body"] == "poison"
assert sqs.list_dead_letter_source_queues(QueueUrl=dead)["queueUrls"] == [orders]
sqs.purge_queue(QueueUrl=dead)
fails("AWS.SimpleQueueService.PurgeQueueInProgress", sqs.purge_queue, QueueUrl=dead)
assert "Messages" not in sqs.receive_message(QueueUrl=dead)
sqs.delete_queue(QueueUrl=orders)
fails("AWS.SimpleQueueService.NonExistentQueue", sqs.get_queue_url, QueueName="orders")
print("done")
