package io.delayqueue.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.DelayQueueException;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.Release;
import io.delayqueue.internal.store.Retry;
import io.delayqueue.model.ModelConsumer.Kind;
import io.delayqueue.model.Session.Held;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Steps that end attempts, with valid leases and with lost ones. */
final class SettleSteps {

    private SettleSteps() {}

    record Ack(String consumer, List<LeasePick> picks) implements Step {
        @Override
        public void run(Session session) {
            List<Lease> leases =
                    session.pick(picks).stream().map(Session::lease).toList();
            if (leases.isEmpty()) {
                return;
            }
            ModelConsumer by = session.consumer(consumer);
            CallId callId = by.next(Kind.ACK);
            List<Boolean> done = Session.join(session.store.ack(session.partition, callId, leases));
            assertThat(done).isEqualTo(leases.stream().map(session.model::ack).toList());
            by.done(
                    Kind.ACK,
                    callId,
                    done.contains(true),
                    () -> assertThat(Session.join(session.store.ack(session.partition, by.repeated(callId), leases)))
                            .as("answer to the ack when repeated")
                            .isEqualTo(done));
        }
    }

    /** @param end the state that the messages go to */
    record EndAttempt(String consumer, List<LeasePick> picks, End end) implements Step {

        enum End {
            DUE_AT_ONCE(Duration.ZERO),
            DUE_IN_HOURS(Times.HOURS),
            POSTPONED(Times.HOURS),
            DEAD(null);

            private final @Nullable Duration delay;

            End(@Nullable Duration delay) {
                this.delay = delay;
            }
        }

        @Override
        public void run(Session session) {
            List<Retry> retries = session.pick(picks).stream().map(this::retry).toList();
            if (retries.isEmpty()) {
                return;
            }
            ModelConsumer by = session.consumer(consumer);
            CallId callId = by.next(Kind.RETRY);
            var call = session.call(() -> session.store.retry(session.partition, callId, retries));
            List<Boolean> expected = retries.stream()
                    .map(retry -> session.model.retry(retry, call.when()))
                    .toList();
            assertThat(call.answer()).isEqualTo(expected);
            by.done(
                    Kind.RETRY,
                    callId,
                    expected.contains(true),
                    () -> assertThat(Session.join(session.store.retry(session.partition, by.repeated(callId), retries)))
                            .as("answer to the retry when repeated")
                            .isEqualTo(expected));
        }

        private Retry retry(Held held) {
            var message = held.claimed().message();
            if (end == End.POSTPONED) {
                return Retry.postponed(Session.lease(held), message.attempt() - 1, Times.HOURS, message.priority());
            }
            return new Retry(
                    Session.lease(held), message.attempt(), end.delay, message.priority(), "failed as " + message.id());
        }
    }

    record Extend(String consumer, List<LeasePick> picks, boolean shortly) implements Step {
        @Override
        public void run(Session session) {
            List<Held> picked = session.pick(picks);
            if (picked.isEmpty()) {
                return;
            }
            Duration duration = shortly ? Session.SHORT_LEASE : Session.LONG_LEASE;
            List<Extension> extensions = picked.stream()
                    .map(held -> StoreCalls.extension(Session.lease(held), duration))
                    .toList();
            ModelConsumer by = session.consumer(consumer);
            CallId callId = by.next(Kind.EXTEND);
            var call = session.call(() -> session.store.extend(session.partition, callId, extensions));
            boolean didSomething = false;
            for (int i = 0; i < picked.size(); i++) {
                didSomething |= extended(
                        session,
                        picked.get(i),
                        call.answer().get(i),
                        call.when().plus(duration));
            }
            by.done(Kind.EXTEND, callId, didSomething, () -> {
                List<Long> again =
                        Session.join(session.store.extend(session.partition, by.repeated(callId), extensions));
                assertStillHeld(session, extensions, call.answer(), again);
            });
        }

        /** A receipt may be a microsecond later than asked for: that tells renewals from claims. */
        private boolean extended(Session session, Held held, long receipt, TimeWindow deadline) {
            Lease lease = Session.lease(held);
            if (!session.model.isLeasedUntil(lease)) {
                assertThat(receipt).as("receipt for the lost %s", lease).isEqualTo(-1);
                return false;
            }
            assertThat(receipt)
                    .as("%s, extended to %s and not shortened", lease, deadline)
                    .isBetween(
                            Math.max(lease.receipt(), deadline.from()), Math.max(lease.receipt(), deadline.to()) + 3);
            // a renewal that leaves the lease as it was also leaves a receipt that was kept for it
            if (receipt != lease.receipt()) {
                session.model.messages.get(lease.id()).lease(receipt);
            }
            session.remember(held.claimed(), receipt);
            if (shortly && receipt <= deadline.to() + 3) {
                session.clock.awaitLaterThan(receipt);
            }
            return true;
        }

        private static void assertStillHeld(
                Session session, List<Extension> extensions, List<Long> receipts, List<Long> again) {
            for (int i = 0; i < receipts.size(); i++) {
                Lease shown = extensions.get(i).lease();
                boolean nextIsHeld = session.model.isLeasedUntil(new Lease(shown.id(), nextRenewal(shown)));
                if (receipts.get(i) == -1 && nextIsHeld) {
                    assertThat(again.get(i))
                            .as("receipt shown before the present one")
                            .isIn(-1L, nextRenewal(shown));
                } else {
                    boolean isHeld = session.model.isLeasedUntil(new Lease(shown.id(), receipts.get(i)));
                    assertThat(again.get(i))
                            .as("answer to %s when repeated", shown)
                            .isEqualTo(isHeld ? receipts.get(i) : -1L);
                }
            }
        }

        /** The receipt of a renewal that made the lease no longer; a repeated call that shows the one before it may be told this one. */
        private static long nextRenewal(Lease lease) {
            return (lease.receipt() + 3) / 4 * 4;
        }
    }

    /** Extensions that keep the receipt. */
    record ExtendKeeping(String consumer, List<LeasePick> picks, boolean shortly, boolean mayShorten) implements Step {
        @Override
        public void run(Session session) {
            List<Held> picked = session.pick(picks);
            if (picked.isEmpty()) {
                return;
            }
            Duration duration = shortly ? Session.SHORT_LEASE : Session.LONG_LEASE;
            List<Extension> extensions = picked.stream()
                    .map(held -> new Extension(
                            Session.lease(held),
                            duration,
                            mayShorten ? Extension.Mode.CHANGE : Extension.Mode.KEEP_RECEIPT))
                    .toList();
            ModelConsumer by = session.consumer(consumer);
            CallId callId = by.next(Kind.EXTEND);
            var call = session.call(() -> session.store.extend(session.partition, callId, extensions));
            boolean didSomething = false;
            for (int i = 0; i < picked.size(); i++) {
                didSomething |= extended(
                        session,
                        picked.get(i),
                        call.answer().get(i),
                        call.when().plus(duration));
            }
            by.done(Kind.EXTEND, callId, didSomething, () -> {
                List<Long> again =
                        Session.join(session.store.extend(session.partition, by.repeated(callId), extensions));
                for (int i = 0; i < extensions.size(); i++) {
                    Lease shown = extensions.get(i).lease();
                    assertThat(again.get(i))
                            .as("answer to %s when repeated", shown)
                            .isEqualTo(
                                    session.model.holds(shown) ? session.model.messages.get(shown.id()).receipt : -1L);
                }
            });
        }

        private boolean extended(Session session, Held held, long deadline, TimeWindow asked) {
            Lease lease = Session.lease(held);
            if (!session.model.holds(lease)) {
                assertThat(deadline).as("deadline for the lost %s", lease).isEqualTo(-1);
                return false;
            }
            long before = mayShorten ? 0 : session.model.messages.get(lease.id()).receipt;
            assertThat(deadline)
                    .as("%s, extended to %s from %s", lease, asked, before)
                    .isBetween(Math.max(before, asked.from()), Math.max(before, asked.to()) + 3);
            session.model.messages.get(lease.id()).extendKeeping(lease.receipt(), deadline);
            session.remember(held.claimed(), deadline);
            if (shortly && deadline <= asked.to() + 3) {
                session.clock.awaitLaterThan(deadline);
            }
            return true;
        }
    }

    record ReleaseLeases(List<LeasePick> picks) implements Step {
        @Override
        public void run(Session session) {
            List<Release> releases = session.pick(picks).stream()
                    .map(held -> new Release(
                            Session.lease(held),
                            held.claimed().dueMicros(),
                            held.claimed().message().priority(),
                            held.claimed().suspect()))
                    .toList();
            if (releases.isEmpty()) {
                return;
            }
            assertThat(Session.join(session.store.release(session.partition, releases)))
                    .isEqualTo(releases.stream()
                            .map(release -> session.model.release(release.lease(), release.dueMicros()))
                            .toList());
        }
    }

    /** Repeats the last call of a kind, as after a lost reply. */
    record Repeat(String consumer, Kind kind) implements Step {
        @Override
        public void run(Session session) {
            session.consumer(consumer).repeat(kind);
        }
    }

    /** A call that arrives late from a connection thought dead. It is refused even if its leases hold, and changes nothing. */
    record LateCall(String consumer, Kind kind, List<LeasePick> picks) implements Step {
        @Override
        public void run(Session session) {
            CallId callId = session.consumer(consumer).late(kind);
            List<Held> held = session.pick(picks);
            if (callId != null && !held.isEmpty()) {
                assertThatThrownBy(() -> Session.join(send(session, callId, held)))
                        .as("%s with %s", kind, callId)
                        .hasCauseInstanceOf(DelayQueueException.class);
            }
        }

        private CompletableFuture<?> send(Session session, CallId callId, List<Held> held) {
            List<Lease> leases = held.stream().map(Session::lease).toList();
            return switch (kind) {
                case CLAIM ->
                    session.store.claim(
                            session.partition,
                            StoreCalls.claimRequest(
                                    callId, 5, Session.LONG_LEASE, Session.DEFAULT_ATTEMPTS, Duration.ofNanos(1000)));
                case ACK -> session.store.ack(session.partition, callId, leases);
                case RETRY ->
                    session.store.retry(
                            session.partition,
                            callId,
                            leases.stream()
                                    .map(lease -> new Retry(lease, 1, Duration.ZERO, 4, "late"))
                                    .toList());
                case EXTEND ->
                    session.store.extend(
                            session.partition,
                            callId,
                            leases.stream()
                                    .map(lease -> StoreCalls.extension(lease, Duration.ofDays(1)))
                                    .toList());
            };
        }
    }
}
