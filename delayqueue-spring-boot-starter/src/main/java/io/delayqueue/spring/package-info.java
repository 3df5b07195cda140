/**
 * Scheduling from an application: the template, its messages, and the conversion of payloads. Depends on the core's API,
 * spring-context, spring-messaging and, if present, spring-tx; not on listeners or Boot.
 */
@NullMarked
package io.delayqueue.spring;

import org.jspecify.annotations.NullMarked;
