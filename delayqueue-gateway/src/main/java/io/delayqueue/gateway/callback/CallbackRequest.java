package io.delayqueue.gateway.callback;

import java.net.URI;
import java.util.Map;

/**
 * A request of a callback, signed.
 *
 * @param method HTTP method
 * @param url checked by {@link TargetRules}
 * @param headers checked by {@link CallbackHeaders}, and the gateway's own
 * @param body not copied
 */
record CallbackRequest(String method, URI url, Map<String, String> headers, byte[] body) {}
