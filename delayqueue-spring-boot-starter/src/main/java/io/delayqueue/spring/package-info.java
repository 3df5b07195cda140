/**
 * What an application schedules with: the template, its messages and how payloads become bytes. Depends on the core's API,
 * spring-messaging and, if there, spring-tx; knows nothing of listeners or of Boot.
 */
@NullMarked
package io.delayqueue.spring;

import org.jspecify.annotations.NullMarked;
