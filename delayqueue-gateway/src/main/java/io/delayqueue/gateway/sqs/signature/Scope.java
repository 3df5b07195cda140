package io.delayqueue.gateway.sqs.signature;

import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;

/** The part of a credential after the access key id: day, region and service of a signature. */
record Scope(String date, String region, String service) {

    private static final String END = "aws4_request";

    /** The credential {@code key-id/20261122/eu-central-1/sqs/aws4_request}. */
    record Credential(String accessKeyId, Scope scope) {}

    static Credential parse(String credential) {
        String[] parts = credential.split("/", -1);
        int count = parts.length;
        if (count < 5 || !parts[count - 1].equals(END)) {
            throw new SqsException(
                    SqsError.INCOMPLETE_SIGNATURE,
                    "Credential must be <access key id>/<yyyyMMdd>/<region>/<service>/aws4_request.");
        }
        String keyId = credential.substring(
                0,
                credential.length()
                        - String.join("/", parts[count - 4], parts[count - 3], parts[count - 2], END)
                                .length()
                        - 1);
        return new Credential(keyId, new Scope(parts[count - 4], parts[count - 3], parts[count - 2]));
    }

    @Override
    public String toString() {
        return date + "/" + region + "/" + service + "/" + END;
    }
}
