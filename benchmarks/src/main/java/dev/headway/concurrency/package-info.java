/**
 * Races in what other threads may call of an engine, one question per class: submission, cancel,
 * drain, close, the end of a handle. jcstress runs each millions of times with its calls side by
 * side and compares what came out with the list above the class; anything else is a failure.
 *
 * <p>Run {@code scripts/races.sh}. Each class builds its engine with {@link
 * dev.headway.concurrency.Trial}; nothing here reaches behind the public API.
 */
@NullMarked
package dev.headway.concurrency;

import org.jspecify.annotations.NullMarked;
