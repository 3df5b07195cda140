package io.delayqueue.sample;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/** A bean of the shop that a replay leaves out: the replay prints a report of its own. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ConditionalOnProperty(name = "sample.replay.orders", havingValue = SampleProperties.Replay.NONE, matchIfMissing = true)
public @interface NotInReplay {}
