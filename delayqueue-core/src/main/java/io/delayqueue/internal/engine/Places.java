package io.delayqueue.internal.engine;

import java.util.concurrent.TimeUnit;

/**
 * Counts the places where handlers run, and says how many messages there is room for: in places, and waiting for one, if handlers
 * are quick. Not safe for use by several threads.
 */
final class Places {

    /** One place in so many is kept for what is due at once, and one at least. */
    private static final int KEPT_FREE = 4;

    /** So many times as many as there are places may wait for one. */
    private static final int MOST_BEYOND = 4;

    /** No more wait for a place than will have one within about so long. */
    private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** After places were too few, none is claimed to wait for one for so long. */
    private static final long CAUTION_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Work that takes no longer is done before another thread would have been woken. */
    private static final long AT_ONCE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    /** Each work tells so much of how long the next ones will take. */
    private static final int WEIGHT = 8;

    private final int count;
    private final int keptFree;
    private int taken;
    private int reserved;
    private int reservedBeyond;
    /** How long a place is taken, of late; negative until one was. */
    private long takenNanos = -1;

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

    /** @param nanos how long it was taken */
    void leave(long nanos) {
        taken--;
        takenNanos = takenNanos < 0 ? nanos : takenNanos + (nanos - takenNanos) / WEIGHT;
    }

    /** Whether whoever took a place will most likely be back in no time. */
    boolean areLeftAtOnce() {
        return takenNanos >= 0 && takenNanos <= AT_ONCE_NANOS;
    }

    /** Something was due and waited for a place in vain. */
    void areTooFew() {
        cautiousUntilNanos = System.nanoTime() + CAUTION_NANOS;
    }

    private int idle() {
        return count - taken - reserved;
    }

    /** What could come now, beside so many that wait. */
    Vacancy vacancy(int waiting) {
        int beyond = beyond();
        return new Vacancy(room(waiting, beyond), count + beyond);
    }

    private int room(int waiting, int beyond) {
        int inPlaces = inPlaces(waiting, beyond);
        return inPlaces == 0 ? 0 : Math.max(inPlaces, idle() - waiting - reservedBeyond + beyond);
    }

    private int inPlaces(int waiting, int beyond) {
        int free = idle() - waiting - reservedBeyond;
        // what waits does not hold up what is due at once, as long as handlers are quick
        int atLeast = beyond == 0 ? 0 : Math.min(idle(), keptFree - reserved);
        return Math.max(0, Math.max(free, atLeast));
    }

    /** How many may wait beyond those that have a place. */
    private int beyond() {
        if (takenNanos < 0 || System.nanoTime() - cautiousUntilNanos < 0) {
            return 0;
        }
        return (int) Math.min(MOST_BEYOND * count, count * LONGEST_WAIT_NANOS / Math.max(1, takenNanos));
    }

    /** Keeps the room there is for who asks, for up to so many. */
    Room reserve(int waiting, int most) {
        int beyond = beyond();
        int inPlaces = Math.min(most, inPlaces(waiting, beyond));
        if (inPlaces == 0) {
            return Room.NONE;
        }
        int all = Math.min(most, room(waiting, beyond));
        Room room = new Room(inPlaces, all - inPlaces, Math.max(0, all - keptFree));
        reserved += room.inPlaces();
        reservedBeyond += room.beyond();
        return room;
    }

    /** Gives reserved room back. */
    void unreserve(Room room) {
        reserved -= room.inPlaces();
        reservedBeyond -= room.beyond();
    }

    /**
     * What could come now.
     *
     * @param room so many messages
     * @param most as many as there could be room for if none were here
     */
    record Vacancy(int room, int most) {

        /** Whether it is worth a claim of its own. */
        boolean isLarge() {
            return 2 * room >= most;
        }
    }

    /**
     * Room that is kept.
     *
     * @param inPlaces for so many there are places
     * @param beyond so many more may wait for one
     * @param ahead so many of them all may be not due yet
     */
    record Room(int inPlaces, int beyond, int ahead) {

        static final Room NONE = new Room(0, 0, 0);
    }
}
