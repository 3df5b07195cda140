package io.delayqueue.dashboard.http;

/** Checks of parameters. */
final class Parameters {

    private Parameters() {}

    static void require(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw ProblemException.invalid(name + " must be from " + least + " to " + most + ", not " + value);
        }
    }
}
