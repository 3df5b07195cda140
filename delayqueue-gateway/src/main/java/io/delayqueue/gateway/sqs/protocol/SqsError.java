package io.delayqueue.gateway.sqs.protocol;

/** An error of SQS: its shape in the JSON protocol, its code in the query protocol, and its statuses. */
public enum SqsError {
    BATCH_ENTRY_IDS_NOT_DISTINCT("BatchEntryIdsNotDistinct", Names.SQS, 400),
    BATCH_REQUEST_TOO_LONG("BatchRequestTooLong", Names.SQS, 400),
    EMPTY_BATCH_REQUEST("EmptyBatchRequest", Names.SQS, 400),
    INVALID_BATCH_ENTRY_ID("InvalidBatchEntryId", Names.SQS, 400),
    TOO_MANY_ENTRIES_IN_BATCH_REQUEST("TooManyEntriesInBatchRequest", Names.SQS, 400),
    MESSAGE_NOT_IN_FLIGHT("MessageNotInflight", Names.SQS, 400),
    PURGE_QUEUE_IN_PROGRESS("PurgeQueueInProgress", Names.SQS, 403),
    QUEUE_DELETED_RECENTLY("QueueDeletedRecently", Names.SQS, 400),
    UNSUPPORTED_OPERATION("UnsupportedOperation", Names.SQS, 400),
    QUEUE_DOES_NOT_EXIST("QueueDoesNotExist", Names.SQS + "NonExistentQueue", 400, 400),
    QUEUE_NAME_EXISTS("QueueNameExists", "QueueAlreadyExists", 400, 400),
    RECEIPT_HANDLE_IS_INVALID("ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", 400, 404),
    INVALID_ATTRIBUTE_NAME("InvalidAttributeName", 400),
    INVALID_ATTRIBUTE_VALUE("InvalidAttributeValue", 400),
    INVALID_MESSAGE_CONTENTS("InvalidMessageContents", 400),
    INVALID_PARAMETER_VALUE("InvalidParameterValue", 400),
    MISSING_PARAMETER("MissingParameter", 400),
    INVALID_ACTION("InvalidAction", 400),
    MALFORMED_INPUT("MalformedInput", 400),
    RESOURCE_NOT_FOUND("ResourceNotFoundException", 404),
    OVER_LIMIT("OverLimit", 403),
    REQUEST_THROTTLED("RequestThrottled", 403),
    ACCESS_DENIED("AccessDenied", 403),
    MISSING_AUTHENTICATION_TOKEN("MissingAuthenticationToken", 403),
    INVALID_CLIENT_TOKEN_ID("InvalidClientTokenId", 403),
    SIGNATURE_DOES_NOT_MATCH("SignatureDoesNotMatch", 403),
    REQUEST_EXPIRED("RequestExpired", 403),
    INCOMPLETE_SIGNATURE("IncompleteSignature", 403),
    REQUEST_TIMEOUT("RequestTimeout", 408),
    SERVICE_UNAVAILABLE("ServiceUnavailable", 503),
    INTERNAL_FAILURE("InternalFailure", 500);

    private final String shape;
    private final String queryCode;
    private final int jsonStatus;
    private final int queryStatus;

    SqsError(String shape, int status) {
        this(shape, shape, status, status);
    }

    SqsError(String shape, String prefix, int status) {
        this(shape, prefix + shape, status, status);
    }

    SqsError(String shape, String queryCode, int jsonStatus, int queryStatus) {
        this.shape = shape;
        this.queryCode = queryCode;
        this.jsonStatus = jsonStatus;
        this.queryStatus = queryStatus;
    }

    /** Name of the error in the JSON protocol. */
    public String shape() {
        return shape;
    }

    /** Code of the error in the query protocol, and in the header {@code x-amzn-query-error}. */
    public String queryCode() {
        return queryCode;
    }

    /** Status in the JSON protocol. */
    public int jsonStatus() {
        return jsonStatus;
    }

    /** Status in the query protocol. */
    public int queryStatus() {
        return queryStatus;
    }

    /** Whether the request is at fault: the client does not repeat it. */
    public boolean isSenderFault() {
        return jsonStatus < 500;
    }

    /** {@code Sender} or {@code Receiver}, as SQS names the one at fault. */
    public String fault() {
        return isSenderFault() ? "Sender" : "Receiver";
    }

    private static final class Names {
        private static final String SQS = "AWS.SimpleQueueService.";
    }
}
