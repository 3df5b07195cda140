package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PlacesTests {

    private static final int MOST = 512;

    private final Places ten = new Places(10);

    @Test
    void placesThatAreTakenReservedOrWaitedForAreGone() {
        assertThat(ten.vacancy(0)).isEqualTo(new Places.Vacancy(10, 10));

        ten.take();
        Places.Room four = ten.reserve(2, 4);

        assertThat(four.inPlaces()).isEqualTo(4);
        assertThat(ten.vacancy(2)).isEqualTo(new Places.Vacancy(3, 10));
        ten.unreserve(four);
        assertThat(ten.vacancy(2).room()).isEqualTo(7);
    }

    @Test
    void noneMayWaitForAPlaceUntilItIsKnownHowLongPlacesAreTaken() {
        assertThat(ten.reserve(0, MOST)).isEqualTo(new Places.Room(10, 0, 8));
    }

    @Test
    void asManyMayWaitAsWillHaveAPlaceSoon() {
        took(TimeUnit.MILLISECONDS.toNanos(5));
        assertThat(ten.reserve(0, MOST)).isEqualTo(new Places.Room(10, 10, 18));
    }

    @Test
    void fewMayWaitForSlowHandlers() {
        took(TimeUnit.MILLISECONDS.toNanos(25));
        assertThat(ten.reserve(0, MOST)).isEqualTo(new Places.Room(10, 2, 10));
    }

    @Test
    void noneMayWaitForVerySlowHandlers() {
        took(TimeUnit.MILLISECONDS.toNanos(51));
        assertThat(ten.reserve(0, MOST)).isEqualTo(new Places.Room(10, 0, 8));
    }

    @Test
    void fourTimesAsManyMayWaitAtMost() {
        took(0);
        assertThat(ten.reserve(0, MOST)).isEqualTo(new Places.Room(10, 40, 48));
        assertThat(ten.reserve(0, MOST)).as("all reserved").isEqualTo(Places.Room.NONE);
    }

    @Test
    void noMoreThanAskedFor() {
        took(0);
        assertThat(ten.reserve(0, 12)).isEqualTo(new Places.Room(10, 2, 10));
        assertThat(new Places(10).reserve(0, 4)).isEqualTo(new Places.Room(4, 0, 2));
    }

    @Test
    void howLongPlacesAreTakenIsLearntFromTheLast() {
        took(TimeUnit.SECONDS.toNanos(1));
        assertThat(ten.vacancy(0).most()).isEqualTo(10);
        for (int i = 0; i < 200; i++) {
            took(1000);
        }
        assertThat(ten.vacancy(0).most()).isEqualTo(50);
        took(TimeUnit.SECONDS.toNanos(1));
        assertThat(ten.vacancy(0).most()).isEqualTo(10);
    }

    @Test
    void whatWaitsLeavesSomePlacesForWhatIsDueAtOnce() {
        assertThat(ten.reserve(8, MOST)).isEqualTo(new Places.Room(2, 0, 0));
    }

    @Test
    void whatWaitsHoldsNoPlaceWhileHandlersAreQuick() {
        took(0);
        assertThat(ten.reserve(30, MOST)).isEqualTo(new Places.Room(2, 18, 18));
    }

    @Test
    void nothingMayComeWhileAllPlacesAreTaken() {
        took(0);
        for (int i = 0; i < 10; i++) {
            ten.take();
        }
        assertThat(ten.vacancy(0)).isEqualTo(new Places.Vacancy(0, 50));
        assertThat(ten.reserve(0, MOST)).isEqualTo(Places.Room.NONE);
    }

    @Test
    void noneMayWaitForAWhileAfterPlacesWereTooFew() {
        took(0);
        ten.areTooFew();
        assertThat(ten.vacancy(0).most()).isEqualTo(10);
        Eventually.asserted(() -> assertThat(ten.vacancy(0).most()).isEqualTo(50));
    }

    @Test
    void placesAreLeftAtOnceIfWorkTakesNoLongerThanToWakeAThread() {
        assertThat(ten.areLeftAtOnce()).as("not known yet").isFalse();
        took(TimeUnit.MICROSECONDS.toNanos(100));
        assertThat(ten.areLeftAtOnce()).isTrue();
        took(TimeUnit.MILLISECONDS.toNanos(2));
        assertThat(ten.areLeftAtOnce()).isFalse();
    }

    @Test
    void aVacancyIsLargeFromHalfOfAllOn() {
        assertThat(new Places.Vacancy(25, 50).isLarge()).isTrue();
        assertThat(new Places.Vacancy(24, 50).isLarge()).isFalse();
        assertThat(new Places.Vacancy(1, 1).isLarge()).isTrue();
        assertThat(new Places.Vacancy(0, 1).isLarge()).isFalse();
    }

    private void took(long nanos) {
        ten.take();
        ten.leave(nanos);
    }
}
