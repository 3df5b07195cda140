package io.delayqueue.internal.engine;

import java.util.concurrent.TimeUnit;

/**
 * Counts the places where handlers run, and says how many messages there is room for: in places, and waiting beyond them for
 * as long as that goes well. Not safe for use by several threads.
 */
final class Places {

    /** One place in so many is kept for what is due at once, and one at least. */
    private static final int KEPT_FREE = 4;

    /** So many times as many as there are places may wait beyond them. */
    private static final int MOST_BEYOND = 4;

    /** After places were too few, no more may wait than there are places for so long. */
    private static final long CAUTION_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int count;
    private final int keptFree;
    private int taken;
    private int reserved;
    private int reservedBeyond;
    private int beyond;
    private long cautiousUntilNanos = System.nanoTime();

    Places(int count) {
        this.count = count;
        this.keptFree = Math.max(1, count / KEPT_FREE);
    }

    boolean anyIsLeft() {
        return taken < count;
    }

    boolean anyIsTaken() {
        return taken > 0;
    }

    void take() {
        taken++;
    }

    void leave() {
        taken--;
    }

    /** Places that nobody has, waits for or has reserved. */
    int free(int waiting) {
        return Math.max(0, idle() - waiting);
    }

    private int idle() {
        return count - taken - reserved;
    }

    /** How many more that are due may come. */
    int forWhatIsDue(int waiting) {
        int free = idle() - waiting - reservedBeyond;
        // what waits does not hold up what is due at once, as long as handlers are quick
        int atLeast = beyond == 0 ? 0 : Math.min(idle(), keptFree - reserved);
        return Math.max(0, Math.max(free, atLeast));
    }

    /** Keeps the room there is for who asks, for up to so many. */
    Room reserve(int waiting, int most) {
        int due = Math.min(most, forWhatIsDue(waiting));
        if (due == 0) {
            return Room.NONE;
        }
        int free = idle() - waiting - reservedBeyond;
        int all = Math.min(most, Math.max(due, free + beyond));
        Room room = new Room(due, Math.max(0, all - keptFree), all - due);
        reserved += room.due();
        reservedBeyond += room.beyond();
        return room;
    }

    /**
     * Gives reserved room back.
     *
     * @param scarce more could have waited until it is due
     * @return whether there is more room for it now
     */
    boolean unreserve(Room room, boolean scarce) {
        reserved -= room.due();
        reservedBeyond -= room.beyond();
        boolean grows = scarce && beyond < MOST_BEYOND * count && System.nanoTime() - cautiousUntilNanos > 0;
        beyond += grows ? count : 0;
        return grows;
    }

    /** Something was due and waited for a place in vain. */
    void areTooFew() {
        beyond = 0;
        cautiousUntilNanos = System.nanoTime() + CAUTION_NANOS;
    }

    /**
     * Room for messages.
     *
     * @param due for so many that are due
     * @param ahead for so many that are not, as far as there is room for any
     * @param beyond so many of them beyond the number for those that are due
     */
    record Room(int due, int ahead, int beyond) {

        static final Room NONE = new Room(0, 0, 0);
    }
}
