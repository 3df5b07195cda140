package io.delayqueue.dashboard.read;

import io.delayqueue.spring.operator.ErrorGroup;
import io.delayqueue.spring.operator.ErrorGroups;
import java.time.Instant;
import java.util.List;

/** Dead letters by their errors. */
record ErrorsView(Instant asOf, int examined, List<ErrorGroup> groups) implements ErrorTexts {

    static ErrorsView of(ErrorGroups errors, Instant asOf) {
        return new ErrorsView(asOf, errors.examined(), errors.groups());
    }

    @Override
    public ErrorsView withoutErrors() {
        return new ErrorsView(
                asOf,
                examined,
                groups.stream()
                        .map(group -> new ErrorGroup(group.id(), null, group.count(), group.sample(), group.latest()))
                        .toList());
    }
}
