package io.delayqueue.spring.actuate;

import io.delayqueue.spring.actuate.WriteRequest.Bulk;
import io.delayqueue.spring.operator.Caller;
import io.delayqueue.spring.operator.DelayQueueOperator;
import io.delayqueue.spring.operator.Right;
import io.delayqueue.spring.operator.TooManyJobsException;
import io.delayqueue.spring.operator.UnknownPlanException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Actuator endpoint that shows topics, their numbers, listeners and dead letters, and single messages. Payloads, header values
 * and error texts are hidden unless {@code management.endpoint.delayqueue.show-values} says otherwise. The operation that changes
 * something needs {@code management.endpoint.delayqueue.access=unrestricted}.
 *
 * <p>A topic or message is named by the path, {@code /{topic}} or {@code /{topic}/{id}}, or by the parameters {@code topic} and
 * {@code id}. Both names may contain slashes: of the topics that a path may begin with, the longest is taken. Parameters leave
 * no doubt, and take the names that a web server changes in a path, such as those with {@code ..} or {@code //}.
 */
@Endpoint(id = "delayqueue", defaultAccess = Access.READ_ONLY)
public final class DelayQueueEndpoint {

    /** Maximum number of dead letters shown of a topic, latest first. */
    static final int MAX_DEAD_LETTERS = 20;

    /** Name in logs and audit events of a caller who is not known, as over JMX. */
    private static final String UNKNOWN_CALLER = "actuator";

    private final DelayQueueOperator operator;
    private final DescriptorMapper showing;
    private final DescriptorMapper hiding;
    private final Show showValues;

    /**
     * An endpoint.
     *
     * @param operator reads and acts
     * @param sanitizingFunctions replace single values that are shown
     * @param showValues whether to show values to a caller who is not known, as over JMX
     */
    public DelayQueueEndpoint(
            DelayQueueOperator operator, Iterable<SanitizingFunction> sanitizingFunctions, Show showValues) {
        this.operator = operator;
        Sanitizer sanitizer = new Sanitizer(sanitizingFunctions);
        this.showing = new DescriptorMapper(sanitizer, true);
        this.hiding = new DescriptorMapper(sanitizer, false);
        this.showValues = showValues;
    }

    /**
     * All topics with their numbers; with parameters, one topic or message, or a part of a topic.
     *
     * @param topic a topic to show, or null for all
     * @param id a message of the topic to show, or null for the topic itself
     * @param view a part of the topic to show, or null for the topic itself
     * @param after where a page of pending messages begins: {@code next} of the page before, or a time
     * @param offset number of dead letters to skip, 0 to 100,000; 0 by default
     * @param limit entries of a page, 1 to 500; 100 by default
     * @param bucket length of a bucket of the load, 1 ms to 366 days; a minute by default
     * @param buckets number of buckets of the load, 1 to 98; 60 by default
     */
    @ReadOperation
    public @Nullable DelayQueueDescriptor read(
            @Nullable String topic,
            @Nullable String id,
            @Nullable DelayQueueView view,
            @Nullable String after,
            @Nullable Integer offset,
            @Nullable Integer limit,
            @Nullable Duration bucket,
            @Nullable Integer buckets) {
        return read(unknownCaller(), new ReadRequest(topic, id, view, after, offset, limit, bucket, buckets));
    }

    /** The topic or message that this path names; null (not found) if there is none. */
    @ReadOperation
    public @Nullable DelayQueueDescriptor at(@Selector(match = Match.ALL_REMAINING) String... path) {
        return at(unknownCaller(), path);
    }

    /**
     * Changes something.
     *
     * @param action the action
     * @param topic its topic; null to start or stop a bulk operation
     * @param id the message that it is about
     * @param ids the messages that it is about, instead of one: a text with a JSON array of 1 to 1,000 ids
     * @param due new due time of a message to reschedule
     * @param delay new delay of a message to reschedule, instead of a due time
     * @param operation what to plan: {@code redrive}, {@code purge-dead-letters} or {@code purge-pending}
     * @param until latest time of dead-lettering, or due time, of the messages to plan for; null for all
     * @param errorGroup id of the error group to plan for; null for all
     * @param token token of the plan to start, or of the job to stop
     * @param rate messages that a started job changes in a second, 1 to 100,000; null for no limit
     */
    @WriteOperation
    public DelayQueueDescriptor change(
            DelayQueueAction action,
            @Nullable String topic,
            @Nullable String id,
            @Nullable IdList ids,
            @Nullable Instant due,
            @Nullable Duration delay,
            @Nullable DelayQueueAction operation,
            @Nullable Instant until,
            @Nullable String errorGroup,
            @Nullable String token,
            @Nullable Integer rate) {
        Bulk bulk = new Bulk(operation, until, errorGroup, token, rate);
        try {
            return change(unknownCaller(), new WriteRequest(action, topic, id, ids, due, delay, bulk));
        } catch (UnknownPlanException | TooManyJobsException e) {
            String reason = String.valueOf(e.getMessage());
            throw new InvalidEndpointRequestException(reason, reason);
        }
    }

    @Nullable
    DelayQueueDescriptor read(Caller caller, ReadRequest request) {
        try {
            return request.answer(new TopicReader(operator, caller, caller.has(Right.PAYLOAD) ? showing : hiding));
        } catch (IllegalArgumentException e) {
            String reason = String.valueOf(e.getMessage());
            throw new InvalidEndpointRequestException(reason, reason);
        }
    }

    @Nullable
    DelayQueueDescriptor at(Caller caller, String... path) {
        Set<String> topics = operator.topicNames(caller);
        for (int length = path.length; length > 0; length--) {
            String topic = joined(path, 0, length);
            if (topics.contains(topic)) {
                String id = length == path.length ? null : joined(path, length, path.length);
                return read(caller, ReadRequest.of(topic, id));
            }
        }
        return null;
    }

    DelayQueueDescriptor change(Caller caller, WriteRequest request) {
        return request.run(operator, caller);
    }

    /** A caller without a known name has all rights that the endpoint's access allows. */
    private Caller unknownCaller() {
        Set<Right> rights = EnumSet.of(Right.VIEW, Right.OPERATE, Right.PURGE);
        if (showValues.isShown(true)) {
            rights.add(Right.PAYLOAD);
        }
        return new Caller(UNKNOWN_CALLER, rights);
    }

    private static String joined(String[] path, int from, int to) {
        return String.join("/", Arrays.asList(path).subList(from, to));
    }
}
