/**
 * What the engine relies on in a scheduler. Extend {@link
 * dev.headway.testkit.scheduler.SchedulerContract} in your own test; {@link
 * dev.headway.testkit.scheduler.Liveness} is the law of progress, for random tests.
 */
@NullMarked
package dev.headway.testkit.scheduler;

import org.jspecify.annotations.NullMarked;
