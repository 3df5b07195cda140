package io.delayqueue.docs.template;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.CancelOutcome;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.docs.template.Reminders.Appointment;
import io.delayqueue.docs.template.Reminders.Changes;
import io.delayqueue.docs.template.Reminders.Reminder;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

@ExtendWith(EmbeddedRedisExtension.class)
class RemindersTests {

    @Test
    void callsOfTheTemplateDoWhatTheirCommentsSay(EmbeddedRedis redis) {
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run("--spring.data.redis.url=" + redis.uri(), "--delayqueue.command-timeout=20s")) {
            DelayQueueOperations queue = application.getBean(DelayQueueOperations.class);
            Reminders reminders = new Reminders(queue);
            Appointment appointment = new Appointment("7", Instant.now().plus(Duration.ofDays(1)));

            Changes changes = reminders.change(reminders.inAnHour(new Reminder("Call Ann")));
            assertThat(changes.rescheduled()).isEqualTo(RescheduleOutcome.RESCHEDULED);
            assertThat(changes.found()).isPresent();
            assertThat(changes.cancelled()).isEqualTo(CancelOutcome.CANCELLED);

            List<ScheduleResult> repeated = reminders.repeat(new Reminder("Call Bob"));
            assertThat(repeated.get(1)).isEqualTo(repeated.get(0));
            assertThat(application
                            .getBean(DelayQueueClient.class)
                            .stats("reminder")
                            .pending()
                            .total())
                    .isEqualTo(1);

            assertThat(reminders
                            .before(appointment, new Reminder("Dentist"), "acme")
                            .outcome())
                    .isEqualTo(ScheduleOutcome.SCHEDULED);
            assertThat(reminders
                            .before(appointment, new Reminder("Dentist at 9"), "acme")
                            .outcome())
                    .isEqualTo(ScheduleOutcome.REPLACED);
            assertThat(queue.find("reminder", "reminder-7").orElseThrow().due())
                    .isBetween(
                            appointment.time().minusSeconds(7201),
                            appointment.time().minusSeconds(7199));

            assertThat(reminders.many(List.of(
                            queue.message("reminder", new Reminder("Call Carl"))
                                    .delay(Duration.ofHours(1))
                                    .build(),
                            queue.message("reminder", new Reminder("Call Dora"))
                                    .delay(Duration.ofHours(1))
                                    .build())))
                    .extracting(ScheduleResult::outcome)
                    .containsOnly(ScheduleOutcome.SCHEDULED);
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}
}
