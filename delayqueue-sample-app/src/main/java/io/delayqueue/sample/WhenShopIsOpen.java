package io.delayqueue.sample;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/** For beans that have no place in a replay, which prints and counts for itself. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ConditionalOnProperty(
        name = "sample.replay.file",
        havingValue = SampleProperties.Replay.NOTHING,
        matchIfMissing = true)
public @interface WhenShopIsOpen {}
